import {
  type BrokerDuties,
  PERMISSIONS,
  PERMITTED_SERVICES,
  type PermittedService,
} from "@posthaste/runtime";
import { POISON_BUCKET } from "./_poison_messages.ts";
import { CONSUMERS, type StoreName, STREAMS } from "./topology.ts";

/** A service that the broker knows by name. */
export type BrokerUser = PermittedService;

/** The services that the broker knows by name. */
export const BROKER_USERS: readonly BrokerUser[] = PERMITTED_SERVICES;

/** What one user of the broker may do, by subject; all else is refused. */
export interface BrokerPermissions {
  publish: string[];
  subscribe: string[];
}

/** Inbox of a process: services must not read each other's answers. */
export function inboxPrefixOf(name: string): string {
  return `_INBOX.${name.replace(/[^\w-]+/g, "_") || "anybody"}`;
}

/** Inbox for answers to events: services that answer may publish there and nowhere else. */
export function repliesOf(name: string): string {
  return `${inboxPrefixOf(name)}.reply`;
}

/** Where a process listens for answers of the printer: it may publish there and nowhere else. */
export function printsOf(name: string): string {
  return `${inboxPrefixOf(name)}.print`;
}

/**
 * Returns what {@linkcode PERMISSIONS} says of a service as subjects: make its events, consume from its consumers, use its stores. It may
 * neither create, change, empty nor delete a stream or consumer, nor hear what others are answered.
 * Objects are read without a consumer: one that a service may create could deliver to any subject.
 */
export function permissionsOf(user: BrokerUser): BrokerPermissions {
  const { makes, consumes = [], reads = [], writes = [], answers = [], prints = [] }: BrokerDuties =
    PERMISSIONS[user].broker;
  const { looks, purges }: BrokerDuties = PERMISSIONS[user].broker;
  return {
    publish: [
      ...makes,
      "$JS.API.STREAM.LIST",
      ...CONSUMERS.filter(({ stream, name }) =>
        consumes.includes(stream) && (stream !== "INTERACTIVE" || name.startsWith(`${user}_`))
      ).flatMap(consumesFrom),
      ...consumes.filter(isWork).flatMap(countsTries),
      ...new Set([...reads, ...writes].map(readsStore)),
      ...writes.map((store) => `$O.${store}.C.*`),
      ...answers.map((asker) => `${repliesOf(asker)}.>`),
      ...prints.map((asker) => `${printsOf(asker)}.>`),
      ...(looks ? STREAMS.map(({ name }) => `$JS.API.CONSUMER.LIST.${name}`) : []),
      ...(purges ? STREAMS.filter(({ name }) => isWork(name)).flatMap(purgesStream) : []),
      ...(purges ? STREAMS.filter(({ name }) => !isWork(name)).flatMap(agesStream) : []),
    ],
    subscribe: [`${inboxPrefixOf(user)}.>`],
  };
}

function consumesFrom({ stream, name }: { stream: string; name: string }): string[] {
  return [
    `$JS.API.CONSUMER.INFO.${stream}.${name}`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.${name}`,
    `$JS.ACK.${stream}.${name}.>`,
  ];
}

function isWork(stream: string): boolean {
  return STREAMS.some(({ name, retention }) => name === stream && retention === "work");
}

/** Counts of lost workers: each stage writes those of its own events. */
function countsTries(stream: string): string[] {
  return [
    `$JS.API.STREAM.MSG.GET.KV_${POISON_BUCKET}`,
    `$KV.${POISON_BUCKET}.${stream}.*`,
  ];
}

function readsStore(store: StoreName): string {
  return `$JS.API.STREAM.MSG.GET.OBJ_${store}`;
}

/** It reads what waits, and removes what all consumers have passed. */
function purgesStream({ name }: { name: string }): string[] {
  return ["STREAM.INFO", "STREAM.MSG.GET", "STREAM.MSG.DELETE", "CONSUMER.LIST"]
    .map((call) => `$JS.API.${call}.${name}`);
}

/** It also reports the age of the oldest event, of the streams that it does not reconcile. */
function agesStream({ name }: { name: string }): string[] {
  return ["STREAM.MSG.GET", "CONSUMER.LIST"].map((call) => `$JS.API.${call}.${name}`);
}

/**
 * The calls of the broker's own interface that services make, all together. Permissions are not enough:
 * they say where a client may publish, not where the broker sends the answer that it asked for, and the
 * empty answer to a pull without messages, sent to `$JS.API.STREAM.DELETE.RENDER`, deletes that stream.
 * So the account of the services must have these calls only; the operator's are under another prefix.
 * None of them does harm with an answer for a body.
 */
export function openCalls(): string[] {
  const all = BROKER_USERS.flatMap((user) => permissionsOf(user).publish)
    // A stream and its consumers answer these themselves, whatever the account has.
    .filter((subject) => subject.startsWith("$JS.API.") && !subject.includes(".MSG.NEXT."));
  return [...new Set(all)].sort();
}
