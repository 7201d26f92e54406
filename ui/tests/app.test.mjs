// The web app as a reader has it. `cargo test --test app` starts `bancada serve` on a folder of runs and then this.
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { findChromium, launch, settled } from "./browser.mjs";

const address = process.env.BANCADA_APP;
const token = process.env.BANCADA_APP_TOKEN;
const runs = process.env.BANCADA_APP_RUNS;
const shots = process.env.BANCADA_APP_SHOTS;
const chromium = process.env.BANCADA_CHROMIUM ?? findChromium();
assert.ok(address && token && runs && shots, "cargo test --test app starts the server and this");
assert.ok(chromium, "chromium is not on the PATH");
mkdirSync(shots, { recursive: true });
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let browser;
before(async () => (browser = await launch(chromium)));
after(() => browser?.close());

/** A tab on a view, with everything it printed, threw or asked of somebody else. */
async function view(path, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    bypassCSP: false,
    ...options,
  });
  const page = await context.newPage();
  const problems = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(address) && !/^(data|blob):/.test(url)) problems.push(`asked ${url}`);
  });
  await page.goto(address + path);
  await isDrawn(page);
  return { page, context, problems };
}

async function isDrawn(page) {
  await page.waitForFunction(() => performance.getEntriesByName("drawn").length === 1);
  await settled(page);
}

/** Answers the question for the token, which loads the view again. */
async function useToken(page) {
  await page.getByText("needs `Authorization").waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.getItem("bancada-token")), null);
  await page.getByLabel("Token", { exact: true }).fill(token);
  await Promise.all([
    page.waitForEvent("load"),
    page.getByRole("button", { name: "Use it" }).click(),
  ]);
  await isDrawn(page);
}

/** No serious finding of axe, whose script comes from here and not from the page. */
async function assertUsable(page) {
  const found = await page.evaluate(
    `(() => { ${axe}; return axe.run({ resultTypes: ["violations"] }); })()`,
  );
  const serious = found.violations.filter(({ impact }) => /serious|critical/.test(impact));
  assert.deepEqual(
    serious.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`),
    [],
  );
}

async function shoot(page, name) {
  await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
}

const VIEWS = {
  runs: "/",
  compare: "/?view=compare&before=local/2026-01-02T000000-one&after=local/2026-01-03T000000-one",
  history: "/?view=history&experiment=first-look",
  catalogue: "/?view=catalogue",
  code: "/?view=code&stack=one&stack=other",
  report: "/?view=report&run=local/2026-01-02T000000-one",
  ended: "/?view=live&run=local/2026-01-02T000000-one",
  start: "/?view=start",
};

describe("every view", { concurrency: false }, () => {
  for (const [name, path] of Object.entries(VIEWS))
    it(`${name} is drawn without a sound, usable, at any width`, async () => {
      for (const [width, colorScheme] of [
        [1280, "light"],
        [1280, "dark"],
        [380, "light"],
      ]) {
        const { page, context, problems } = await view(path, {
          viewport: { width, height: 900 },
          colorScheme,
        });
        assert.equal(await page.locator("[role=alert]:visible").count(), 0, "no complaint");
        // The report is held to the rest by its own tests.
        if (name !== "report") {
          const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(over <= 0, `${name} at ${width}: ${over} px too wide`);
          await assertUsable(page);
        }
        await shoot(page, `${name}-${width}-${colorScheme}`);
        assert.deepEqual(problems, []);
        await context.close();
      }
    });
});

describe("the list of runs", { concurrency: false }, () => {
  it("shows a damaged run as damaged, and hostile text as text", async () => {
    const { page, context } = await view("/");
    const damaged = page.locator("[data-state=damaged]");
    assert.match(await damaged.first().innerText(), /DAMAGED[\s\S]*run\.json/);
    assert.ok((await page.locator("body").innerText()).includes("<script>window.owned"));
    assert.equal(await page.evaluate(() => window.owned), undefined);
    await context.close();
  });

  it("is searched", async () => {
    const { page, context } = await view("/");
    await page.getByRole("searchbox").fill("hostile");
    await page.getByRole("button", { name: "Find" }).click();
    await isDrawn(page);
    assert.equal(await page.locator("[data-run]").count(), 1);
    await context.close();
  });

  it("leads to two runs side by side, the older one first", async () => {
    const { page, context } = await view("/?experiment=first-look");
    await page.getByRole("checkbox").nth(0).check();
    await page.getByRole("checkbox").nth(1).check();
    await page.getByRole("button", { name: "Compare two" }).click();
    await isDrawn(page);
    const asked = new URL(page.url()).searchParams;
    assert.ok(asked.get("before") < asked.get("after"), page.url());
    assert.ok((await page.locator(".chart svg circle").count()) > 0);
    await context.close();
  });
});

it("the report in the app is the page that is saved", async () => {
  const { page, context } = await view(VIEWS.report);
  const parts = () => page.locator("main section h2").allInnerTexts();
  const inApp = await parts();
  assert.ok(inApp.length > 5, inApp.join());
  await page.goto(`${address}/runs/local/2026-01-02T000000-one/report.html`);
  await isDrawn(page);
  assert.deepEqual(await parts(), inApp);
  await context.close();
});

it("two runs that the list of runs no longer reaches are still what is compared", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.route("**/api/runs?*", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), runs: [] } });
  });
  await page.goto(address + VIEWS.compare);
  await isDrawn(page);
  const asked = new URL(page.url()).searchParams;
  for (const side of ["before", "after"])
    assert.equal(await page.locator(`select[name=${side}]`).inputValue(), asked.get(side));
  await context.close();
});

it("a token of a server that is gone is forgotten, and another one asked for", async () => {
  const { page, context } = await view("/?view=start#token=stale");
  await page.locator("select").selectOption("long");
  await page.getByRole("button", { name: "Start" }).click();
  await useToken(page);
  assert.equal(await page.locator("select").inputValue(), "long");
  assert.ok(await page.getByRole("button", { name: "Start" }).isVisible());
  await context.close();
});

it("the handlers of two stacks stand side by side", async () => {
  const { page, context } = await view("/?view=catalogue");
  await page.getByRole("checkbox", { name: "Code of one" }).check();
  await page.getByRole("checkbox", { name: "Code of other" }).check();
  await page.getByRole("button", { name: "Handlers side by side" }).click();
  await isDrawn(page);
  assert.equal(await page.locator("[data-stack] pre:visible").count(), 2);
  await context.close();
});

it("a run that somebody else makes is shown trial by trial", async () => {
  const name = "2026-02-01T000000-elsewhere";
  const from = join(runs, "2026-01-02T000000-one");
  const run = JSON.parse(readFileSync(join(from, "run.json"), "utf8"));
  const trials = readFileSync(join(from, "trials.jsonl"), "utf8").trimEnd().split("\n");
  delete run.ended_at;
  delete run.ended_by;
  mkdirSync(join(runs, name));
  writeFileSync(join(runs, name, "run.json"), JSON.stringify(run));
  const { page, context, problems } = await view(`/?view=live&run=local/${name}`);
  const times = [];
  for (const line of trials) {
    const { trial } = JSON.parse(line);
    const shown = page.locator(`[data-trial="${trial}"]`);
    assert.equal(await shown.count(), 0);
    const began = performance.now();
    appendFileSync(join(runs, name, "trials.jsonl"), `${line}\n`);
    await shown.waitFor({ state: "attached" });
    times.push(performance.now() - began);
  }
  times.sort((one, other) => one - other);
  console.log(
    `shown after ${Math.round(times[times.length >> 1])} ms, at most ${Math.round(times.at(-1))} ms, of ${times.length} trials`,
  );
  await page.getByRole("heading", { name: "The intervals narrow" }).waitFor();
  await shoot(page, "live-elsewhere");
  writeFileSync(
    join(runs, name, "run.json"),
    JSON.stringify({ ...run, ended_at: "2026-02-01T00:10:00Z", ended_by: "blocks" }),
  );
  await page.getByText("Ended by blocks").waitFor();
  assert.deepEqual(problems, []);
  await context.close();
});

it("a run is started, watched and stopped from here by whoever has the token", async () => {
  const { page, context, problems } = await view(`/?view=start&experiment=long#token=${token}`);
  assert.ok(!page.url().includes(token), "the token does not stay in the address");
  await page.getByRole("button", { name: "Start" }).click();
  await page.locator("[data-trial='b01-one']").waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Stop the run" }).focus();
  await page.locator("[data-trial='b02-other']").waitFor({ state: "attached" });
  const focused = await page.evaluate(() => document.activeElement.textContent);
  assert.equal(focused, "Stop the run", "what has the focus keeps it while trials come in");
  await page.getByRole("link", { name: "The report so far" }).waitFor();
  await shoot(page, "live-own");
  // Somebody who comes late sees the same, without the token.
  const late = await view("/?view=live");
  assert.ok((await late.page.locator("[data-trial]").count()) >= 6);
  assert.equal(await late.page.getByRole("button", { name: "Stop the run" }).count(), 0);
  await page.evaluate(() => sessionStorage.setItem("bancada-token", "stale"));
  await page.getByRole("button", { name: "Stop the run" }).click();
  await useToken(page);
  await page.getByRole("button", { name: "Stop the run" }).click();
  await page.getByText("Ended by interrupted").waitFor();
  await late.page.getByText("Ended by interrupted").waitFor();
  const refused = problems.filter((problem) => problem.includes("401"));
  assert.equal(refused.length, 1, problems.join());
  assert.deepEqual([...problems, ...late.problems], refused);
  await late.context.close();
  await context.close();
});
