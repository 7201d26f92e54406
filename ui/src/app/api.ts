// Asks the server. The token comes in the address after #, which no server is ever sent, and stays in this tab.

const KEY = "bancada-token";

/** Why the server could not answer, bancada.problem/1. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Takes the token out of the address, so that it is neither kept in history nor copied with a link. */
export function takeToken(): void {
  const found = /^#token=([!-~]+)$/.exec(location.hash);
  if (!found) return;
  keepToken(decodeURIComponent(found[1]!));
  history.replaceState(null, "", location.pathname + location.search);
}

export function keepToken(token: string): void {
  sessionStorage.setItem(KEY, token);
}

/** What the server has refused is of no use any more. */
export function forgetToken(): void {
  sessionStorage.removeItem(KEY);
}

export function hasToken(): boolean {
  return sessionStorage.getItem(KEY) !== null;
}

/** The answer to a request; a refusal is thrown as a Problem. */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const token = sessionStorage.getItem(KEY);
  const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};
  const answer = await fetch(path, { ...init, headers });
  if (answer.ok) return answer;
  const problem = (await answer.json().catch(() => ({}))) as { message?: string };
  throw new Problem(answer.status, problem.message ?? `${path}: status ${answer.status}`);
}

export async function ask<T>(path: string): Promise<T> {
  return (await (await send(path)).json()) as T;
}

/** The path of a run's document. */
export function ofRun(run: string, what: string): string {
  return `/api/runs/${run.split("/").map(encodeURIComponent).join("/")}/${what}`;
}

/** The address of a view of this app. */
export function to(view: string, asked: Record<string, string> = {}): string {
  return `/?${new URLSearchParams({ view, ...asked }).toString()}`;
}
