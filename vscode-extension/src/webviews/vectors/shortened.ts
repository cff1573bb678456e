/** Numbers in as few letters as there is room for, and how those that are none are spelt. */

const SUFFIXES = ["", "k", "M", "G", "T"] as const;
const MOST_DIGITS = 6;

/** The word for a number that is none or without end; other texts are as they are. */
export function spelt(text: string): string {
  return text.replace(/\bnan\b/gi, "NaN").replace(/\binf(?:inity)?\b/gi, "∞");
}

/** A number with as many digits as fit into some letters; the shortest text if none does. */
export function shortened(value: number, letters: number): string {
  if (!Number.isFinite(value)) {
    return spelt(String(value));
  }
  let shortest = "";
  for (let digits = MOST_DIGITS; digits > 0; digits--) {
    for (const text of texts(value, digits)) {
      if (text.length <= letters) {
        return text;
      }
      shortest = !shortest || text.length < shortest.length ? text : shortest;
    }
  }
  return shortest;
}

/** Ways to write a number with so many digits, the one that is read best first. */
function texts(value: number, digits: number): string[] {
  const rounded = Number(value.toPrecision(digits));
  const size = Math.abs(rounded);
  if (!size) {
    return ["0"];
  }
  const exponent = Math.floor(Math.log10(size) + 1e-9);
  const power = Math.floor(exponent / 3);
  const scientific = rounded.toExponential().replace("e+", "e");
  if (exponent >= 3) {
    const suffix = SUFFIXES[power];
    const plain = exponent < digits ? [String(rounded)] : [];
    const scaled = Number((rounded / 1000 ** power).toPrecision(digits));
    return suffix ? [...plain, `${scaled}${suffix}`] : [scientific];
  }
  const plain = String(rounded);
  const isSmall = exponent < -3 || plain.includes("e");
  return isSmall ? [scientific] : [plain, plain.replace(/^(-?)0\./, "$1.")];
}
