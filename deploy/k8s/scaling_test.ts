import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { suite, test } from "node:test";
import type { IScaledObject } from "@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject";
import { PRIORITIES } from "@posthaste/contracts";
import { CONSUMERS } from "@posthaste/messaging";
import { NO_KUSTOMIZE, testedOverlay } from "./build_overlay.ts";
import { configOf } from "./config_of.ts";
import { workloadsOf } from "./workloads.ts";

/** Returns the service that a consumer belongs to. */
const SERVICE_OF = (consumer: string) => consumer.split("_")[0] as string;

/** Consumers for which more pods are no help: of people's tests, and of the leading tracker alone. */
const UNSCALED = ["webhooks_interactive", "statistics"];
const SCALED_CONSUMERS = CONSUMERS.filter(({ name }) => !UNSCALED.includes(name));

const objects = await testedOverlay("prod");
suite("scaling of prod", { skip: NO_KUSTOMIZE }, () => {
  const scaled = objects.filter(({ kind }) =>
    kind === "ScaledObject"
  ) as unknown as IScaledObject[];
  const triggersOf = (object: IScaledObject, type: string) =>
    (object.spec?.triggers ?? []).filter((trigger) => trigger.type === type)
      .map(({ metadata }) => metadata as Record<string, string>);

  test("every stage grows with the lag of every consumer that its pods share, and of no other", () => {
    const lags = scaled.flatMap((object) =>
      triggersOf(object, "nats-jetstream").map(({ stream, consumer }) =>
        `${object.spec?.scaleTargetRef.name} ${stream} ${consumer}`
      )
    );
    const plan = SCALED_CONSUMERS.map(({ name, stream }) =>
      `${SERVICE_OF(name)} ${stream} ${name}`
    );
    assert.deepEqual(lags.sort(), plan.sort());
  });

  test("every stage of mail grows with the age of the waiting events in each of its priorities", () => {
    for (const stage of ["renderer", "pdf", "mailer"]) {
      const object = scaled.find(({ metadata }) => metadata?.name === stage) as IScaledObject;
      const queries = triggersOf(object, "prometheus").map(({ query }) => query);
      assert.deepEqual(
        queries,
        PRIORITIES.map((priority) =>
          `max(posthaste_queue_oldest_age_seconds{posthaste_stage="${stage}",posthaste_priority="${priority}"})`
        ),
      );
    }
  });

  test("the scaler uses the broker's names", () => {
    for (const object of scaled) {
      for (const metadata of triggersOf(object, "nats-jetstream")) {
        assert.equal(metadata["account"], "POSTHASTE");
        assert.equal(
          metadata["natsServerMonitoringEndpoint"],
          "nats.posthaste.svc.cluster.local:8222",
        );
      }
    }
  });

  test("no stage has more pods than the broker can supply with work", async () => {
    const [pdf, mailer, renderer] = await Promise.all(
      ["pdf", "mailer", "renderer"].map((name) => configOf(objects, name)),
    );
    // Concurrent events of one pod, from its main.ts.
    const inFlight: Record<string, number> = {
      pdf_transactional: 32 * Number(pdf?.["PRINT_PAGES"]),
      mailer_transactional: Number(mailer?.["MAIL_CONCURRENCY"]),
      mailer_bulk: Number(mailer?.["MAIL_CONCURRENCY"]),
      renderer_now: 16 * Number(renderer?.["RENDER_CONCURRENCY"]),
    };
    for (const { name, maxAckPending } of SCALED_CONSUMERS) {
      const object = scaled.find(({ metadata }) => metadata?.name === SERVICE_OF(name));
      const pods = Number(object?.spec?.maxReplicaCount);
      assert.ok((pods - 1) * (inFlight[name] ?? 1) < maxAckPending, `${name}: ${pods} pods`);
      const lag = triggersOf(object as IScaledObject, "nats-jetstream")
        .find(({ consumer }) => consumer === name)?.["lagThreshold"];
      assert.ok(
        Number(lag) > (inFlight[name] ?? 1),
        `${name} grows by what waits, not by what is in flight`,
      );
    }
  });

  test("a scaled workload has no fixed number of pods, which a new deployment would restore", async () => {
    const targets = [
      ...scaled.map(({ spec }) => spec?.scaleTargetRef.name),
      ...objects.filter(({ kind }) => kind === "HorizontalPodAutoscaler")
        .map(({ spec }) => (spec as { scaleTargetRef: { name: string } }).scaleTargetRef.name),
    ].sort();
    assert.deepEqual(targets, ["api", "mailer", "pdf", "renderer", "tracker"]);
    for (const { name, kind, spec } of workloadsOf(objects)) {
      if (kind === "Deployment") {
        assert.equal(spec.replicas === undefined, targets.includes(name), name);
      }
    }
    const services = await readdir(new URL("../../services", import.meta.url));
    assert.deepEqual(services.filter((name) => !targets.includes(name)), [
      ...["dashboard", "webhooks"],
    ]);
  });
});
