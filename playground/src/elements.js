// Elements of the page, made of text: nothing that a program says becomes markup.

/** An element with attributes, properties such as `onclick`, and children or texts. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on") || name === "className" || name === "value" || name === "disabled") {
      made[name] = value;
    } else if (value !== undefined && value !== null && value !== false) {
      made.setAttribute(name, value);
    }
  }
  made.append(...children.filter((each) => each !== null));
  return made;
}

export const button = (text, onclick, attributes = {}) =>
  element("button", { type: "button", onclick, ...attributes }, text);

export const hex = (value) => `0x${value.toString(16)}`;
