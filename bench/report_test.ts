import { match, ok } from "node:assert/strict";
import { test } from "node:test";
import { writeReport } from "./report.ts";

test("writeReport() sets the median beside that of the baseline", () => {
  const figure = "bulk";
  const measured = (part: string, rate: number, mongod = 0.5) => ({
    figure,
    part,
    unit: "mail",
    rate,
    cpuMs: { mailer: 1.5, mongod, sink: 9 },
  });
  const report = writeReport([
    measured("posthaste", 300),
    measured("nodemailer", 1000, 2.5),
    measured("posthaste", 500),
    measured("posthaste", 400),
  ]);
  match(report, /\| bulk \| posthaste +\| 400 mails +\| 300–500 +\| +\| 2\.00 +\| +\|/);
  match(
    report,
    /\| bulk \| nodemailer +\| 1,000 mails +\| 1,000–1,000 +\| 0\.40 +\| 4\.00 +\| 0\.50 +\|/,
  );
  const cpu = report.slice(report.indexOf("by process"));
  ok(cpu.includes("1.50") && !cpu.includes("nodemailer"), cpu);
});
