/** Makes elements. */

/** An element with a class and a text. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = "",
  text = "",
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

/** An element with a role of the accessibility tree and its attributes without `aria-`. */
export function withRole(
  made: HTMLElement,
  role: string,
  properties: Readonly<Record<string, string | number>> = {},
): HTMLElement {
  made.setAttribute("role", role);
  for (const [name, value] of Object.entries(properties)) {
    made.setAttribute(`aria-${name}`, String(value));
  }
  return made;
}

/** A share as people write it. */
export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** A number of things. */
export function counted(number: number, what: string): string {
  return `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;
}
