// The web app: one view a page load, chosen by the address, so that the browser's own history and tabs just work.

import "../theme.css";
import "./app.css";
import { startTheme } from "../theme";
import { takeToken } from "./api";
import { catalogue } from "./catalogue";
import { code } from "./code";
import { comparison } from "./comparison";
import { complaint, frame, type View } from "./frame";
import { history } from "./history";
import { live } from "./live";
import { report } from "./report";
import { runs } from "./runs";
import { start } from "./start";

const VIEWS: Record<string, View> = {
  runs,
  report,
  live,
  compare: comparison,
  history,
  catalogue,
  code,
  start,
};

async function open(): Promise<void> {
  takeToken();
  startTheme();
  const asked = new URLSearchParams(location.search);
  const name = asked.get("view") ?? "runs";
  const root = document.getElementById("app")!;
  const view = VIEWS[name] ?? runs;
  const place = frame(root, name);
  try {
    await view(place, asked);
  } catch (error) {
    place.append(complaint(error));
  }
  performance.mark("drawn");
}

void open();
