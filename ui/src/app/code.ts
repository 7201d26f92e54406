// The handlers of some stacks, side by side.

import { h } from "../dom";
import { ask, to } from "./api";
import { heading, type View } from "./frame";

interface Sources {
  stack: string;
  title: string;
  language: string;
  files: { path: string; text?: string; problem?: string }[];
}

/** Columns that can be read beside each other. */
const AT_MOST = 4;

export const code: View = async (place, asked) => {
  const names = asked.getAll("stack").slice(0, AT_MOST);
  heading(place, "Handlers");
  place.append(h("p", { class: "ways small" }, h("a", { href: to("catalogue") }, "Choose others")));
  const stacks = await Promise.all(
    names.map((name) => ask<Sources>(`/api/catalog/stacks/${encodeURIComponent(name)}/sources`)),
  );
  const stems = new Set(stacks.flatMap((stack) => stack.files.map((file) => stem(file.path))));
  const shared = [...stems].filter((one) =>
    stacks.every((stack) => stack.files.some((file) => stem(file.path) === one)),
  );
  const columns = h("div", { class: "pair" });
  const draw = (wanted: string) =>
    columns.replaceChildren(...stacks.map((stack) => column(stack, wanted)));
  const choice = h(
    "select",
    { onchange: (event: Event) => draw((event.target as HTMLSelectElement).value) },
    [...stems].sort().map((one) => h("option", { value: one, selected: one === shared[0] }, one)),
  );
  if (stems.size > 1)
    place.append(h("div", { class: "controls" }, h("label", {}, "Open first", choice)));
  draw(shared[0] ?? [...stems][0] ?? "");
  place.append(columns);
};

/** What a file is about, whatever its language calls it. */
function stem(path: string): string {
  const name = path.split("/").at(-1)!;
  return name.replace(/\.[^.]+$/, "").replaceAll("_", "-");
}

function column(stack: Sources, wanted: string): HTMLElement {
  const first = stack.files.find((file) => stem(file.path) === wanted) ?? stack.files[0];
  return h(
    "div",
    { "data-stack": stack.stack },
    h("h2", {}, stack.title),
    h("p", { class: "soft small" }, `${stack.stack}, ${stack.language}`),
    stack.files.map((file) =>
      h(
        "details",
        { open: file === first },
        h("summary", {}, file.path),
        file.text === undefined
          ? h("p", { class: "note small" }, file.problem)
          : h(
              "pre",
              { tabindex: 0, role: "region", "aria-label": `${stack.title}, ${file.path}` },
              file.text,
            ),
      ),
    ),
  );
}
