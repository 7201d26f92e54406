// What the reader chose. Sections listen and draw again.

import type { Model } from "./model";

type Listener = () => void;

export class State {
  /** The treatment that others are shown against. */
  baseline: string;
  /** Treatments that line charts draw in colour. */
  readonly picked: Set<string>;
  private readonly listeners: Listener[] = [];

  constructor(readonly model: Model) {
    this.baseline = model.page.findings.baseline;
    this.picked = new Set(model.treatments.slice(0, 6).map((one) => one.name));
  }

  /** Draws now and whenever a choice changes. */
  watch(draw: Listener): void {
    this.listeners.push(draw);
    draw();
  }

  changed(): void {
    for (const listener of this.listeners) listener();
  }

  choose(baseline: string): void {
    this.baseline = baseline;
    this.changed();
  }

  toggle(treatment: string): void {
    if (!this.picked.delete(treatment)) this.picked.add(treatment);
    this.changed();
  }
}
