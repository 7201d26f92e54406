// Links within the page: what they lead into is opened, and the focus goes along.

/** What the part of an address after # names, opened so that it can be seen; null where it names nothing. */
function opened(hash: string): HTMLElement | null {
  const target = hash.length > 1 ? document.getElementById(hash.slice(1)) : null;
  if (target instanceof HTMLDetailsElement) target.open = true;
  return target;
}

function goTo(target: HTMLElement): void {
  target.scrollIntoView();
  const summary = target.querySelector<HTMLElement>(":scope > summary");
  // A section takes the focus only where it is told that it can.
  if (!summary) target.tabIndex = -1;
  (summary ?? target).focus({ preventScroll: true });
}

/** Follows every link within the page, and the address that the page was opened with. */
export function followLinks(): void {
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest("a[href^='#']");
    const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    if (!link || elsewhere) return;
    const hash = link.getAttribute("href")!;
    const target = opened(hash);
    if (!target) return;
    event.preventDefault();
    // The browser's own jump would take the focus away again after this one has set it.
    if (location.hash !== hash) history.pushState(null, "", hash);
    goTo(target);
  });
  // Back, and an address typed by hand: the browser goes there by itself.
  addEventListener("hashchange", () => void opened(location.hash));
  const first = opened(location.hash);
  if (first) goTo(first);
}
