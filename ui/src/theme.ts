// Light or dark: the system's choice until the reader makes one.

import { h } from "./dom";
import type { State } from "./state";

const KEY = "bancada-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

function chosen(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    // A page from a file may have no storage.
    return null;
  }
}

export function startTheme(): void {
  document.documentElement.dataset.theme = chosen() ?? (dark.matches ? "dark" : "light");
}

export function themeSwitch(state: Pick<State, "changed">): HTMLElement {
  const button = h("button", { type: "button", class: "quiet" });
  const name = () => {
    const isDark = document.documentElement.dataset.theme === "dark";
    button.textContent = isDark ? "Light" : "Dark";
    button.setAttribute("aria-label", isDark ? "Use light colours" : "Use dark colours");
  };
  const apply = (theme: string) => {
    document.documentElement.dataset.theme = theme;
    name();
    state.changed();
  };
  button.addEventListener("click", () => {
    const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // Then it lasts as long as the page.
    }
    apply(theme);
  });
  dark.addEventListener("change", () => chosen() ?? apply(dark.matches ? "dark" : "light"));
  // Paper is light: charts are drawn again for it, and back.
  let before = "";
  addEventListener("beforeprint", () => {
    before = document.documentElement.dataset.theme ?? "light";
    if (before === "dark") apply("light");
  });
  addEventListener("afterprint", () => before === "dark" && apply(before));
  name();
  return button;
}
