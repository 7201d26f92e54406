// The page of a report: reads the document inside it and draws it.

import "./theme.css";
import { h } from "./dom";
import { readDocument } from "./document";
import { drawReport } from "./report";
import { startTheme } from "./theme";

function start(): void {
  const root = document.getElementById("page")!;
  const page = readDocument();
  if (!page) {
    root.append(
      h(
        "main",
        {},
        h("p", {}, "This page holds no run: bancada report --format html makes one that does."),
      ),
    );
    return;
  }
  document.title = `${page.findings.title}: ${page.findings.run}`;
  startTheme();
  drawReport(
    root,
    page,
    `Made by Bancada ${page.findings.bancada_version} from the run directory ${page.findings.run} alone. This page asks nothing of any network.`,
  );
  performance.mark("drawn");
}

start();
