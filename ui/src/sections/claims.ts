// What a source said, and how it fared here.

import { auditLink } from "../charts/links";
import { h, type Child } from "../dom";
import type { Figure, Ratio } from "../document";
import type { State } from "../state";
import { table } from "../table";
import { times, withUnit } from "../units";
import { section, type Section } from "./section";
import { ratioText } from "./tiers";

interface Comparison extends Ratio {
  treatment: string;
  against: string;
  sentence: string;
  verdict: string;
}

interface Claim {
  id: string;
  quote: string;
  metric?: string;
  level?: string;
  against_level?: string;
  beside?: { treatment: string; against: string; level?: string };
  published_ratio?: number;
  verdict: string;
  reason?: string;
  sentence: string;
  as_published?: Comparison;
  like_for_like?: Comparison;
  steady?: Comparison;
  reasons?: string[];
  note?: string;
}

interface Published {
  treatment: string;
  metric: string;
  level?: string;
  published: number;
  measured?: Figure;
  note?: string;
}

const WORDS: Record<string, string> = {
  reproduced: "reproduced",
  direction_only: "direction only",
  contradicted: "contradicted",
  undecided: "undecided",
  cannot_be_tested_here: "cannot be tested here",
};

export const claims: Section = (state: State) => {
  const { findings } = state.model.page;
  const all = (findings.claims ?? []) as Claim[];
  const published = (findings.published ?? []) as Published[];
  if (all.length === 0 && published.length === 0) return null;
  const counts = Object.keys(WORDS)
    .map(
      (verdict) =>
        [WORDS[verdict]!, all.filter((claim) => claim.verdict === verdict).length] as const,
    )
    .filter(([, count]) => count > 0)
    .map(([word, count]) => `${count} ${word}`);
  return section(
    "claims",
    "What the source claims",
    all.length > 0 &&
      `${counts.join(", ")}. Ratios carry over to another machine; single figures do not.`,
    all.length > 0 && claimTable(all),
    published.length > 0 && publishedTable(state, published),
  );
};

function claimTable(all: Claim[]): HTMLElement {
  return table(
    all,
    [
      { heading: "No.", text: (claim) => claim.id },
      {
        heading: "Claim",
        text: (claim) => claim.quote,
        show: (claim) => [
          h("q", {}, claim.quote),
          place(claim) && h("div", { class: "soft" }, place(claim)),
          claim.note && h("div", { class: "soft" }, claim.note),
        ],
      },
      {
        heading: "Published",
        number: true,
        text: (claim) => (claim.published_ratio === undefined ? "–" : times(claim.published_ratio)),
        order: (claim) => claim.published_ratio ?? null,
      },
      {
        heading: "Measured",
        number: true,
        text: (claim) => ratioText(claim.as_published ?? null),
        order: (claim) => claim.as_published?.ratio ?? null,
        show: measured,
      },
      {
        heading: "Verdict",
        text: (claim) => WORDS[claim.verdict] ?? claim.verdict,
        show: (claim) => [
          h(
            "span",
            { class: "verdict", "data-verdict": claim.verdict },
            WORDS[claim.verdict] ?? claim.verdict,
          ),
          h("div", { class: "soft" }, claim.sentence),
          (claim.reasons ?? []).map((reason) => h("div", { class: "soft" }, reason)),
        ],
      },
    ],
    { caption: "Claims with verdicts", wide: true },
  );
}

const MAIN = "the main slices";

/** At which load it was tested, where that is not the main slices alone. */
function place({ level, against_level, beside }: Claim): string | null {
  if (beside)
    return (
      `the ratio at ${level ?? MAIN} over that of ` +
      `${beside.treatment} to ${beside.against} at ${beside.level ?? MAIN}`
    );
  if (against_level) return `${level ?? MAIN} against ${against_level}`;
  return level ? `at ${level}` : null;
}

function measured(claim: Claim): Child {
  const line = (label: string, found?: Comparison) =>
    found && h("div", {}, ratioText(found), h("div", { class: "soft" }, label));
  if (!claim.as_published && !claim.like_for_like) return "–";
  return [
    line("as published", claim.as_published),
    line("like for like", claim.like_for_like),
    line("when warm", claim.steady),
  ];
}

function publishedTable({ model }: State, published: Published[]): Child {
  const text = (metric: string, value: number) => {
    const { unit } = model.metric(metric);
    return withUnit(unit, value);
  };
  const spread = (row: Published) =>
    row.measured?.low && row.measured.high
      ? ` (${text(row.metric, row.measured.low)} – ${text(row.metric, row.measured.high)})`
      : "";
  return [
    h("h3", {}, "The published tables beside this run"),
    h(
      "p",
      { class: "soft small" },
      "Two machines: compare ratios between rows, not figures across columns.",
    ),
    table(
      published,
      [
        {
          heading: "Treatment",
          text: (row) => model.title(row.treatment),
          show: (row) => auditLink(model, row.treatment),
        },
        {
          heading: "Metric",
          text: (row) => [model.metric(row.metric).title, row.level].filter(Boolean).join(", "),
        },
        {
          heading: "Published",
          number: true,
          text: (row) => text(row.metric, row.published),
          order: (row) => row.published,
        },
        {
          heading: "Here",
          number: true,
          text: (row) =>
            row.measured ? text(row.metric, row.measured.estimate) + spread(row) : "–",
          order: (row) => row.measured?.estimate ?? null,
        },
        ...(published.some((row) => row.note)
          ? [{ heading: "Note", text: (row: Published) => row.note ?? "" }]
          : []),
      ],
      { caption: "Published and measured figures", wide: true },
    ),
  ];
}
