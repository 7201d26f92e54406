// The picture of a report in the README: `npm run picture [RUN]`, after cargo build; of the committed first look unless told.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findChromium, launch, open, settled } from "./browser.mjs";

const LARGEST_BYTES = 300e3;
const root = join(import.meta.dirname, "../..");
const to = join(root, "docs/images/report.png");
const program = process.env.BANCADA ?? join(root, "target/debug/bancada");
const results = join(root, "experiments/first-look/results");
const run = process.argv[2] ?? join(results, readdirSync(results).sort().at(-1));
const chromium = findChromium();
if (!chromium) throw new Error("chromium is not on the PATH: install it to take a picture");

const folder = mkdtempSync(join(tmpdir(), "bancada-picture-"));
const file = join(folder, "report.html");
execFileSync(program, ["--root", root, "report", run, "--format", "html", "--output", file]);
const browser = await launch(chromium);
const { page } = await open(browser, file, { viewport: { width: 1180, height: 1440 } });
await settled(page);
await page.screenshot({ path: to });
await browser.close();
rmSync(folder, { recursive: true });
const { size } = statSync(to);
if (size > LARGEST_BYTES) throw new Error(`${to} has ${size} bytes, more than ${LARGEST_BYTES}`);
console.log(`${to}: ${Math.round(size / 1000)} kB`);
