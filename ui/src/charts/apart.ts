// Labels at the ends of lines, moved so that none covers another.

/** `places` moved by as little as it takes to stand `gap` apart, none below `floor`. */
export function apart(places: number[], gap: number, floor: number): number[] {
  const order = places.map((_, index) => index).sort((a, b) => places[b]! - places[a]!);
  const moved = [...places];
  let ceiling = Infinity;
  for (const index of order) {
    moved[index] = Math.min(places[index]!, ceiling - gap);
    ceiling = moved[index]!;
  }
  let least = floor;
  for (const index of order.reverse()) {
    moved[index] = Math.max(moved[index]!, least);
    least = moved[index]! + gap;
  }
  return moved;
}
