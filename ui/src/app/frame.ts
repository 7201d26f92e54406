// What every view has around it: the bar with the ways to the others.

import { append, h, type Child } from "../dom";
import { themeSwitch } from "../theme";
import { forgetToken, keepToken, Problem, to } from "./api";

/** Draws itself into a place; done when there is something to see. */
export type View = (place: HTMLElement, asked: URLSearchParams) => Promise<void>;

const PLACES: [view: string, title: string][] = [
  ["runs", "Runs"],
  ["live", "Live"],
  ["start", "Start"],
  ["compare", "Compare"],
  ["history", "Over time"],
  ["catalogue", "Catalogue"],
];

const LEAST_PX = 240;

const redraws: (() => void)[] = [];

/** Draws now, and again when the colours change. */
export function drawn(draw: () => void): void {
  redraws.push(draw);
  draw();
}

/** The bar, and the place below it. A report brings a bar of its own below this one. */
export function frame(root: HTMLElement, view: string): HTMLElement {
  const links = PLACES.map(([name, title]) =>
    h("a", { href: to(name), "aria-current": name === view ? "page" : undefined }, title),
  );
  const changed = () => redraws.forEach((draw) => draw());
  const own = view === "report";
  const place = h(own ? "div" : "main", { class: "app" });
  root.append(
    h(
      "header",
      { class: own ? "app-bar" : "app-bar bar" },
      h(
        "div",
        {},
        h("a", { class: "brand", href: "/" }, "Bancada"),
        h("nav", { "aria-label": "Views" }, links),
        !own && themeSwitch({ changed }),
      ),
    ),
    place,
  );
  return place;
}

/** The heading of a view, and the title of its tab. */
export function heading(place: HTMLElement, title: string, ...lead: Child[]): void {
  document.title = `${title} · Bancada`;
  place.append(h("h1", { class: "view" }, title));
  if (lead.length > 0) append(place, [h("p", { class: "lead" }, lead)]);
}

/** What went wrong, in a sentence; a token that was refused is forgotten and asked for again. */
export function complaint(error: unknown): HTMLElement {
  const message = error instanceof Error ? error.message : String(error);
  const refused = error instanceof Problem && error.status === 401;
  if (refused) forgetToken();
  return h("div", {}, h("p", { class: "note", role: "alert" }, message), refused && askForToken());
}

/** A field for the token that the server printed. */
export function askForToken(): HTMLElement {
  const field = h("input", {
    type: "password",
    name: "token",
    autocomplete: "off",
    "aria-label": "Token",
    required: true,
  });
  return h(
    "form",
    {
      class: "controls",
      onsubmit: (event: Event) => {
        event.preventDefault();
        keepToken(field.value.trim());
        location.reload();
      },
    },
    h("label", {}, "Token that bancada serve printed", field),
    h("button", {}, "Use it"),
  );
}

/** A chart at the width there is, drawn again when that or the colours change, and on the event `redraw`. */
export function chart(label: string, draw: (width: number) => SVGSVGElement): HTMLElement {
  const place = h("div", { class: "chart" });
  let width = 0;
  const again = () => {
    if (width === 0) return;
    const svg = draw(width);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", label);
    // The chart is one picture: names of its parts say nothing to who cannot see it.
    svg.querySelectorAll("[aria-label]").forEach((part) => part.removeAttribute("aria-label"));
    place.replaceChildren(svg);
  };
  new ResizeObserver(([entry]) => {
    const now = Math.max(LEAST_PX, Math.floor(entry!.contentRect.width));
    if (now === width) return;
    width = now;
    again();
  }).observe(place);
  place.addEventListener("redraw", again);
  drawn(again);
  return place;
}

/** A moment as a person in this time zone reads it. */
export function moment(text: string): string {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return text;
  return date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

/** The words in a metric's name, without its unit. */
export function metricWords(name: string): string {
  return name.replace(/_(per_s|bytes|ratio|count|ns|us|s)$/, "").replaceAll("_", " ");
}

/** A length of time as a person says it. */
export function span(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}
