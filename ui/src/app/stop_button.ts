// Stops the run that this server makes; says so where it could not.

import { h } from "../dom";
import { send } from "./api";
import { complaint } from "./frame";

export class StopButton {
  readonly button = h("button", {
    type: "button",
    class: "quiet",
    onclick: () => void this.stop(),
  });
  readonly said = h("div");

  constructor() {
    this.pressed(false);
  }

  /** A disabled button would lose the focus. */
  private pressed(is: boolean): void {
    this.button.setAttribute("aria-disabled", String(is));
    this.button.textContent = is ? "Stopping…" : "Stop the run";
  }

  private async stop(): Promise<void> {
    if (this.button.getAttribute("aria-disabled") === "true") return;
    this.pressed(true);
    this.said.replaceChildren();
    try {
      await send("/api/live", { method: "DELETE" });
    } catch (error) {
      this.pressed(false);
      this.said.replaceChildren(complaint(error));
    }
  }
}
