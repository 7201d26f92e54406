// Colours of charts, read from the style sheet so that a chart that is saved carries its own.

export interface Colours {
  ink: string;
  soft: string;
  faint: string;
  rule: string;
  paper: string;
  accent: string;
  better: string;
  worse: string;
  series: string[];
}

/** The colours of the theme that is on now. */
export function colours(): Colours {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: of("ink"),
    soft: of("soft"),
    faint: of("faint"),
    rule: of("rule"),
    paper: of("paper"),
    accent: of("accent"),
    better: of("better"),
    worse: of("worse"),
    series: [1, 2, 3, 4, 5, 6, 7, 8].map((index) => of(`series-${index}`)),
  };
}

/** The colour of each treatment: its place among those picked decides, so that neighbours differ. */
export function seriesColour(picked: string[], treatment: string, from: Colours): string {
  const index = picked.indexOf(treatment);
  return index < 0 ? from.faint : from.series[index % from.series.length]!;
}
