// Server-sent events over fetch, which unlike EventSource can carry a token.

import { Problem, send } from "./api";

export interface Told {
  name: string;
  data: unknown;
}

const AGAIN_AFTER_MS = 1000;

/** Tells everything until the server says `end`; a connection that is lost is made again. */
export async function watch(path: string, tell: (told: Told) => void): Promise<void> {
  for (;;) {
    try {
      if (await once(path, tell)) return;
    } catch (error) {
      if (error instanceof Problem) throw error;
    }
    await new Promise((done) => setTimeout(done, AGAIN_AFTER_MS));
  }
}

/** One connection; true when the run is over. */
async function once(path: string, tell: (told: Told) => void): Promise<boolean> {
  const answer = await send(path);
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let isOver = false;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return isOver;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop()!;
    for (const told of parts.flatMap(parsed)) {
      tell(told);
      const over = (told.data as { over?: unknown } | null)?.over;
      isOver ||= told.name === "end" || (told.name === "state" && over !== undefined);
    }
  }
}

/** One event; comments that keep the connection alive are none. */
function parsed(text: string): Told[] {
  const fields = text.split("\n").map((line) => /^(\w+): ?(.*)$/.exec(line));
  const of = (name: string) => fields.find((field) => field?.[1] === name)?.[2];
  const data = of("data");
  return data === undefined ? [] : [{ name: of("event") ?? "message", data: JSON.parse(data) }];
}
