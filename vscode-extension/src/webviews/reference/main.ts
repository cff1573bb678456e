/** The page of the instruction reference: it goes to the instruction that it is told. */

import "./reference.css";

declare function acquireVsCodeApi(): {
  postMessage(message: "ready"): void;
  getState(): { readonly top: number } | undefined;
  setState(state: { readonly top: number }): void;
};

const editor = acquireVsCodeApi();
let shown: Element | null = null;

window.addEventListener("message", ({ data }: MessageEvent<{ anchor: string | null }>) => {
  shown?.classList.remove("shown");
  shown = data.anchor === null ? null : document.getElementById(data.anchor);
  shown?.classList.add("shown");
  if (shown) {
    shown.scrollIntoView({ block: "start" });
  } else {
    window.scrollTo(0, editor.getState()?.top ?? 0);
  }
});
window.addEventListener("scroll", () => editor.setState({ top: window.scrollY }), {
  passive: true,
});
editor.postMessage("ready");
