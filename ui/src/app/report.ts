// A run's report: the same page as the saved one, from the server instead of from inside itself.

import type { PageDocument } from "../document";
import { h } from "../dom";
import { drawReport } from "../report";
import { ask, ofRun, send, to } from "./api";
import type { View } from "./frame";
import { download } from "../figure";

export const report: View = async (place, asked) => {
  const run = asked.get("run") ?? "";
  const page = await ask<PageDocument>(ofRun(run, "page"));
  document.title = `${page.findings.title} · Bancada`;
  place.append(
    h(
      "p",
      { class: "ways small" },
      h("a", { href: to("live", { run }) }, "Block by block"),
      h("a", { href: to("history", { experiment: page.findings.experiment }) }, "Over time"),
      h(
        "button",
        { type: "button", class: "quiet", onclick: () => void save(run) },
        "Save as one file",
      ),
    ),
  );
  drawReport(
    place,
    page,
    `Drawn from the run directory ${run}. Made by Bancada ${page.findings.bancada_version}.`,
  );
};

async function save(run: string): Promise<void> {
  const answer = await send(`/runs/${run}/report.html`);
  download(await answer.blob(), `${run.split("/").at(-1)}.html`);
}
