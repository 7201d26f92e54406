// The page as a reader has it. `cargo test` makes the cases: a folder each with report.html, report.json and,
// for other baselines, against-<name>.json, all written by the program.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { findChromium, launch, open, settled } from "./browser.mjs";

const folder = process.env.BANCADA_PAGE_CASES;
const chromium = process.env.BANCADA_CHROMIUM ?? findChromium();
assert.ok(folder, "cargo test --test page makes the cases and starts this");
assert.ok(chromium, "chromium is not on the PATH");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SHOTS = [
  [380, "light"],
  [1280, "light"],
  [1280, "dark"],
  [1920, "light"],
];
const LARGEST_BYTES = 1.5e6;

let browser;
before(async () => (browser = await launch(chromium)));
after(() => browser?.close());

for (const name of readdirSync(folder)) {
  const file = join(folder, name, "report.html");
  const findings = JSON.parse(readFileSync(join(folder, name, "report.json"), "utf8"));
  const show = (options) => open(browser, file, options);

  describe(`the page of the ${name} run`, { concurrency: false }, () => {
    it("is a file one can send, and is drawn without a sound or a request", async (t) => {
      const { page, context, problems, requests } = await show();
      const bytes = statSync(file).size;
      const drawn = await page.evaluate(() => performance.getEntriesByName("drawn")[0].startTime);
      t.diagnostic(`${name}: ${(bytes / 1e6).toFixed(2)} MB, drawn in ${Math.round(drawn)} ms`);
      console.log(`${name}: ${(bytes / 1e6).toFixed(2)} MB, drawn in ${Math.round(drawn)} ms`);
      assert.ok(bytes < LARGEST_BYTES, `${bytes} bytes`);
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
      for (const details of await page.locator("details:not([open]) > summary").all())
        if (await details.isVisible()) await details.click();
      await settled(page);
      assert.deepEqual(problems, []);
      assert.deepEqual(
        requests.filter((url) => !/^(file|data|blob):/.test(url)),
        [],
      );
      assert.equal(requests.filter((url) => url.startsWith("file:")).length, 1);
      await context.close();
    });

    it("may ask nothing of any network, whatever is in it", async () => {
      const { page, context } = await show();
      const refused = await page.evaluate(async () => {
        const tries = [
          () => fetch("http://127.0.0.1:9/"),
          () =>
            new Promise((done, no) =>
              Object.assign(new Image(), {
                onload: done,
                onerror: no,
                src: "http://127.0.0.1:9/x.png",
              }),
            ),
        ];
        return Promise.all(
          tries.map((attempt) =>
            attempt().then(
              () => false,
              () => true,
            ),
          ),
        );
      });
      assert.deepEqual(refused, [true, true]);
      await context.close();
    });

    it("shows hostile text as text", async () => {
      const { page, context } = await show();
      assert.equal(await page.evaluate(() => window.owned), undefined);
      assert.equal(await page.title(), `${findings.title}: ${findings.run}`);
      const text = await page.locator("body").innerText();
      for (const treatment of findings.treatments)
        assert.ok(text.includes(treatment.title), treatment.title);
      await context.close();
    });

    // The large pages are the same page: once is enough.
    for (const scheme of ["every", "large"].includes(name) ? ["light"] : ["light", "dark"])
      it(`has no serious finding of axe in ${scheme} colours`, async () => {
        const { page, context } = await show({ colorScheme: scheme, bypassCSP: true });
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => window.axe.run());
        const serious = violations
          .filter(({ impact }) => impact === "serious" || impact === "critical")
          .map(
            ({ id, nodes }) =>
              `${id}: ${nodes
                .slice(0, 3)
                .map((node) => `${node.html} ${node.any[0]?.message ?? ""}`)
                .join(" | ")}`,
          );
        assert.deepEqual(serious, []);
        await context.close();
      });

    it("has a mark for every treatment in every chart of a figure", async () => {
      const { page, context } = await show();
      const marks = (figure) =>
        page
          .locator(`figure[data-figure="${figure}"] a[data-treatment]`)
          .evaluateAll((links) => links.map((link) => link.dataset.treatment).sort());
      const compared = findings.treatments.filter(
        (one) => one.to_baseline || one.name === findings.baseline,
      );
      assert.deepEqual(await marks("tiers"), names(compared));
      for (const metric of [
        "service_cpu_per_good_answer_us",
        "completion_rate_per_s",
        "memory_peak_bytes",
        "first_answer_ns",
      ]) {
        const having = findings.treatments.filter((one) => one.figures[metric]);
        assert.ok(having.length > 0);
        assert.deepEqual(await marks(metric), names(having), metric);
      }
      for (const [figure, expected] of Object.entries(await lines(page)))
        assert.deepEqual(await marks(figure), [...expected].sort(), figure);
      await context.close();
    });

    it("leads from every link within it to something", async () => {
      const { page, context } = await show();
      const dead = await page
        .locator("a[href^='#']")
        .evaluateAll((links) =>
          links
            .map((link) => link.getAttribute("href").slice(1))
            .filter((id) => !document.getElementById(id)),
        );
      assert.deepEqual([...new Set(dead)], []);
      const twin = page.locator("#trust .marks a[aria-label*='~twin']").first();
      const trial = (await twin.getAttribute("aria-label")).split(":")[0];
      await twin.click();
      await page.locator("#audit details[open]").getByText(trial).first().waitFor();
      await context.close();
    });

    it("takes the focus along to where a link leads, and the address too", async () => {
      const { page, context } = await show();
      const focused = () =>
        page.evaluate(() => {
          const { id, tagName } = document.activeElement;
          return { id, tagName, section: document.activeElement.closest("section")?.id };
        });
      const links = page.locator("a.skip, nav.contents a");
      for (const link of await links.all()) {
        const id = (await link.getAttribute("href")).slice(1);
        await link.focus();
        await page.keyboard.press("Enter");
        assert.equal((await focused()).id, id);
        assert.equal(new URL(page.url()).hash, `#${id}`);
        await page.keyboard.press("Tab");
        const { id: next, section } = await focused();
        assert.equal(section, id, `from ${id} to ${next}`);
        assert.notEqual(next, id);
      }
      const stops = page.locator("#trust .marks a:not([tabindex='-1'])");
      assert.equal(
        await stops.count(),
        findings.audit.degraded_count + findings.audit.invalid_count,
      );
      await page.goBack();
      const before = await links.nth((await links.count()) - 2).getAttribute("href");
      assert.equal(new URL(page.url()).hash, before);
      await context.close();
    });

    it("counts every trial before any figure", async () => {
      const { page, context } = await show();
      const trust = await page.locator("#trust").innerText();
      const {
        valid_count: valid,
        degraded_count: degraded,
        invalid_count: invalid,
      } = findings.audit;
      assert.ok(trust.includes(`${valid} of ${valid + degraded + invalid}`), trust);
      assert.ok(trust.includes(`${degraded} DEGRADED, ${invalid} INVALID`), trust);
      const order = await page
        .locator("section")
        .evaluateAll((all) => all.map((section) => section.id));
      assert.equal(order[0], "trust");
      assert.equal(order.at(-1), "method");
      await context.close();
    });

    const others = readdirSync(join(folder, name)).filter((entry) => entry.startsWith("against-"));
    for (const other of ["report.json", ...others])
      it(`computes what the program computes, ${other}`, async () => {
        const expected = JSON.parse(readFileSync(join(folder, name, other), "utf8"));
        const { page, context } = await show();
        await page.selectOption("#baseline", expected.baseline);
        await settled(page);
        let compared = 0;
        for (const treatment of expected.treatments.filter((one) => one.to_baseline)) {
          same(await ratioOf(page, treatment.name), treatment.to_baseline, treatment.name);
          compared += 1;
        }
        assert.ok(compared > 0);
        const [metric] = expected.exploratory.map((found) => found.metric);
        await page.selectOption("#tiers select", metric);
        await settled(page);
        for (const found of expected.exploratory.filter((one) => one.metric === metric))
          same(await ratioOf(page, found.treatment), found, `${found.treatment}, ${metric}`);
        await context.close();
      });

    it("plans for a load as the program plans", async () => {
      const { plan } = JSON.parse(readFileSync(join(folder, name, "planned.json"), "utf8"));
      const { page, context } = await show();
      await page.getByLabel("Price of a core-hour").fill("0.04");
      const planned = await page.locator("#cost tbody tr").evaluateAll((rows) =>
        rows.map((row) => ({
          title: row.cells[0].textContent,
          services: row.cells[1].textContent,
          suffices: row.querySelector("[data-suffices]").dataset.suffices,
        })),
      );
      assert.deepEqual(
        sorted(planned),
        sorted(
          plan.treatments.map((one) => ({
            title: one.title,
            services: one.services_count === undefined ? "–" : String(one.services_count),
            suffices: one.suffices,
          })),
        ),
      );
      await context.close();
    });

    it("draws every part of the findings", async () => {
      const { page, context } = await show();
      const has = (id) => page.locator(`#${id}`).count();
      for (const [part, id] of [
        ["claims", "claims"],
        ["ladder", "ladder"],
        ["levels", "levels"],
        ["what_if", "what-if"],
        ["tools", "tools"],
      ]) {
        const found = findings[part];
        const expected = Array.isArray(found) ? found.length > 0 : found !== undefined;
        assert.equal((await has(id)) > 0, expected, id);
      }
      const text = (id) => page.locator(`#${id}`).evaluate((section) => section.textContent);
      for (const level of findings.levels ?? []) {
        const place = page.locator(`#levels [data-load="${level.load}"]`);
        assert.equal(await place.count(), 1, level.load);
        const told = await place.evaluate((one) => one.textContent);
        for (const pair of level.pairs) assert.ok(told.includes(pair.sentence), pair.sentence);
        for (const one of level.treatments)
          for (const note of one.notes ?? []) assert.ok(told.includes(note), note);
      }
      for (const claim of findings.claims ?? []) {
        assert.ok((await text("claims")).includes(claim.quote), claim.quote);
        assert.ok((await text("claims")).includes(claim.sentence), claim.sentence);
      }
      for (const row of findings.published ?? [])
        assert.ok((await text("claims")).includes(row.note ?? ""), row.note);
      if (findings.audit.order)
        assert.ok((await text("trust")).includes(findings.audit.order.sentence));
      await context.close();
    });

    if (name === "large")
      it("shows claims of every verdict, and no percentile that a block lacks", async () => {
        const { page, context } = await show();
        const verdicts = await page
          .locator("#claims [data-verdict]")
          .evaluateAll((all) => all.map((one) => one.dataset.verdict));
        assert.deepEqual(verdicts.sort(), [
          "cannot_be_tested_here",
          "contradicted",
          "direction_only",
          "reproduced",
          "undecided",
        ]);
        const table = page.locator('#levels [data-load="open"] table');
        const cells = await table.evaluate((one) => {
          const at = [...one.querySelectorAll("th")].findIndex((head) =>
            /^at 80 %: .*p50/i.test(head.textContent),
          );
          return [...one.querySelectorAll("tbody tr")].map((row) => row.cells[at].textContent);
        });
        assert.equal(cells.filter((cell) => cell === "–").length, 1, cells.join());
        await context.close();
      });

    it("explains a figure to whoever has no pointer, and leads to its audit", async () => {
      const { page, context } = await show();
      const link = page
        .locator('figure[data-figure="service_cpu_per_good_answer_us"] a[data-treatment]')
        .first();
      await link.focus();
      const tip = page.locator(".tip");
      assert.ok(await tip.isVisible());
      assert.match(await tip.innerText(), /b1/);
      await page.keyboard.press("Escape");
      assert.ok(!(await tip.isVisible()));
      assert.equal(await tip.textContent(), "", "nothing is left to be read out");
      const treatment = await link.getAttribute("data-treatment");
      await page.keyboard.press("Enter");
      // The table is drawn when its place has opened.
      const audit = page.locator("#audit details[open]").first();
      await audit
        .getByText(new RegExp(`^b\\d+-${treatment}`))
        .first()
        .waitFor();
      assert.equal(await page.evaluate(() => document.activeElement.tagName), "SUMMARY");
      await context.close();
    });

    it("explains the end of every line by the trials behind it", async () => {
      const { page, context } = await show();
      for (const figure of Object.keys(await lines(page))) {
        const end = page.locator(`figure[data-figure="${figure}"] a[data-treatment]`).last();
        await end.focus();
        assert.match(await page.locator(".tip").innerText(), /each trial.*b1/s, figure);
      }
      await context.close();
    });

    it("sorts its tables, and copies them as Markdown", async () => {
      const { page, context } = await show({ permissions: ["clipboard-read", "clipboard-write"] });
      const table = page.locator("#tiers div.table");
      const heading = table.getByRole("button", { name: "Answers/s" });
      const column = await heading.evaluate((button) => button.closest("th").cellIndex);
      const values = () =>
        table
          .locator("tbody tr")
          .evaluateAll(
            (rows, index) =>
              rows.map((row) =>
                Number(row.cells[index].innerText.split("\n")[0].replaceAll(",", "")),
              ),
            column,
          );
      await heading.click();
      assert.deepEqual(
        await values(),
        [...(await values())].sort((a, b) => a - b),
      );
      await heading.click();
      assert.deepEqual(
        await values(),
        [...(await values())].sort((a, b) => b - a),
      );
      await table.getByRole("button", { name: "Copy as Markdown" }).click();
      await table.getByText("Copied").waitFor();
      const lines = (await page.evaluate(() => navigator.clipboard.readText())).split("\n");
      assert.equal(lines.length, findings.treatments.length + 2);
      assert.ok(
        lines.every((line) => line.startsWith("| ") && line.endsWith(" |") && !line.includes("<")),
      );
      await context.close();
    });

    it("saves a chart as SVG and as PNG", async () => {
      const { page, context } = await show();
      for (const [label, magic] of [
        ["SVG", "<svg"],
        ["PNG", "PNG"],
      ]) {
        const [saved] = await Promise.all([
          page.waitForEvent("download"),
          page.locator('figure[data-figure="tiers"]').getByRole("button", { name: label }).click(),
        ]);
        const content = readFileSync(await saved.path(), "latin1");
        assert.ok(content.slice(0, 8).includes(magic), content.slice(0, 40));
        assert.ok(content.length > 2000);
      }
      await context.close();
    });

    for (const [width, scheme] of SHOTS)
      it(`fits ${width} px in ${scheme} colours`, async () => {
        const { page, context } = await show({
          viewport: { width, height: 900 },
          colorScheme: scheme,
        });
        const shots = join(folder, "..", "screenshots");
        mkdirSync(shots, { recursive: true });
        await page.screenshot({
          path: join(shots, `${name}-${width}-${scheme}.png`),
          fullPage: true,
        });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${wide} px`);
        await context.close();
      });
  });
}

/** The treatments of every chart of lines, by the chart's file, from the document inside the page. */
function lines(page) {
  return page.evaluate(() => {
    const { findings, curves } = JSON.parse(document.getElementById("page-document").textContent);
    const shown = findings.treatments.map((one) => one.name);
    const found = {};
    const first = ["response", "service", "closed_service"].find((name) =>
      curves.some((curve) => curve.histogram === name && shown.includes(curve.treatment)),
    );
    if (first)
      found.percentiles = curves
        .filter((curve) => curve.histogram === first && shown.includes(curve.treatment))
        .filter((curve) => curve.times_ns.length > 0)
        .map((curve) => curve.treatment);
    const over = (file, load, metric, x) => {
      const points = (findings.levels ?? [])
        .filter((level) => level.load === load)
        .flatMap((level) => level.treatments.filter((one) => one.figures[metric] && one[x]));
      if (new Set(points.map((one) => one[x])).size > 1)
        found[file] = [...new Set(points.map((one) => one.name))];
    };
    for (const metric of ["response_p50_ns", "response_p99_ns"])
      over(`over-load-${metric}`, "open", metric, "arrival_rate_per_s");
    over("over-concurrency", "closed", "completion_rate_per_s", "concurrency_count");
    return found;
  });
}

function sorted(rows) {
  return [...rows].sort((a, b) => a.title.localeCompare(b.title));
}

function names(treatments) {
  return treatments.map((one) => one.name).sort();
}

async function ratioOf(page, treatment) {
  const link = page.locator(`figure[data-figure="tiers"] a[data-treatment="${treatment}"]`);
  const [ratio, low, high] = (await link.getAttribute("data-ratio")).split(" ").map(Number);
  return { ratio, low_ratio: low, high_ratio: high };
}

/** Equal to seven digits, the page holds figures to nine; far from 1 to six of the logarithm that was computed. */
function same(found, expected, what) {
  for (const key of ["ratio", "low_ratio", "high_ratio"]) {
    // Two that met in one block alone have no interval.
    if (expected[key] === undefined) {
      assert.ok(!found[key], `${what}, ${key}`);
      continue;
    }
    const log = Math.log(expected[key]);
    const off = Math.abs(Math.log(found[key]) - log) / Math.max(1, Math.abs(log));
    assert.ok(
      off < (Math.abs(log) > 10 ? 1e-6 : 1e-7),
      `${what}, ${key}: ${found[key]} is not ${expected[key]}`,
    );
  }
}
