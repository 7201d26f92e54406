// Chromium without a window, as a reader has it: no extensions, no first run, nothing asked of any network.
import { chromium } from "playwright-core";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Chromium on the PATH; null where there is none. */
export function findChromium() {
  const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
  const folders = (process.env.PATH ?? "").split(delimiter);
  const candidates = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return candidates.find((path) => isExecutable(path)) ?? null;
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function launch(executablePath) {
  return chromium.launch({
    executablePath,
    headless: true,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** A page of a file, with everything it printed, threw or asked for. */
export async function open(browser, file, options) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const problems = [];
  const requests = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(`file://${file}`);
  await page.waitForFunction(() => performance.getEntriesByName("drawn").length === 1);
  await settled(page);
  return { page, context, problems, requests };
}

/** Waits until charts have been drawn at the width there is. */
export async function settled(page) {
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".chart")].every(
      (chart) => chart.querySelector("svg") || chart.clientWidth === 0,
    ),
  );
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );
}
