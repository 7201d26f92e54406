// The frame of a chart: heading, what it shows, the chart at the width there is, and its ways out as SVG and PNG.

import { h, type Child } from "./dom";
import type { State } from "./state";

interface Frame {
  title: string;
  caption: Child;
  /** Name of files that are saved. */
  file: string;
  /** Draws at a width in CSS pixels; null when there is nothing to draw. */
  draw: (width: number) => SVGSVGElement | null;
  /** Controls between caption and chart. */
  controls?: () => Child;
  /** The same figures as a table. */
  table?: () => HTMLElement;
}

const LEAST_PX = 280;

/** A figure that draws itself again when its width, the theme or a choice changes. */
export function figure(state: State, frame: Frame): HTMLElement {
  const chart = h("div", { class: "chart" });
  // Made once: what has the focus must keep it when the chart is drawn again.
  const controls = h("div", {}, frame.controls?.());
  const behind = frame.table && h("details", {}, h("summary", {}, "The figures as a table"));
  let width = 0;
  const draw = () => {
    if (width === 0) return;
    const svg = frame.draw(width);
    chart.replaceChildren(...(svg ? [named(svg, frame.title)] : []));
    behind?.replaceChildren(behind.firstElementChild!, ...(behind.open ? [frame.table!()] : []));
  };
  behind?.addEventListener("toggle", draw);
  new ResizeObserver(([entry]) => {
    const now = Math.max(LEAST_PX, Math.floor(entry!.contentRect.width));
    if (now === width) return;
    width = now;
    draw();
  }).observe(chart);
  state.watch(draw);
  const save = (label: string, how: (svg: SVGSVGElement, file: string) => void) =>
    h(
      "button",
      {
        type: "button",
        class: "quiet",
        "aria-label": `Save ${frame.title} as ${label}`,
        onclick: () => {
          const svg = chart.querySelector("svg");
          if (svg) how(svg, frame.file);
        },
      },
      label,
    );
  return h(
    "figure",
    { "data-figure": frame.file },
    h(
      "header",
      {},
      h("h3", {}, frame.title),
      h("div", { class: "tools" }, save("SVG", saveSvg), save("PNG", savePng)),
    ),
    h("figcaption", {}, frame.caption),
    controls,
    chart,
    behind,
  );
}

function named(svg: SVGSVGElement, title: string): SVGSVGElement {
  // Names of drawing steps mean nothing to a reader, and only what can be reached may have a name.
  for (const part of svg.querySelectorAll("g[aria-label]")) part.removeAttribute("aria-label");
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", title);
  return svg;
}

/** The chart as a document of its own: with its size, its font and the paper under it. */
function standalone(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const style = getComputedStyle(document.body);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("font-family", style.fontFamily);
  copy.style.color = style.color;
  copy.style.background = style.backgroundColor;
  for (const link of copy.querySelectorAll("a")) link.replaceWith(...link.childNodes);
  return new XMLSerializer().serializeToString(copy);
}

function saveSvg(svg: SVGSVGElement, file: string): void {
  download(new Blob([standalone(svg)], { type: "image/svg+xml" }), `${file}.svg`);
}

function savePng(svg: SVGSVGElement, file: string): void {
  const image = new Image();
  const scale = 2;
  image.onload = () => {
    const canvas = h("canvas", {
      width: svg.clientWidth * scale,
      height: svg.clientHeight * scale,
    });
    const context = canvas.getContext("2d")!;
    context.fillStyle = getComputedStyle(document.body).backgroundColor;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => blob && download(blob, `${file}.png`));
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standalone(svg))}`;
}

export function download(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
