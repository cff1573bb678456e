// A program in the fragment of an address, which no browser sends to a host.

const VERSION = "1";
const MAX_TEXT = 1 << 20;

export async function fragmentOf(shared) {
  const bytes = new TextEncoder().encode(JSON.stringify(shared));
  const packed = await through(bytes, new CompressionStream("deflate-raw"));
  const binary = Array.from(packed, (byte) => String.fromCharCode(byte)).join("");
  const text = btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return `#${VERSION}.${text}`;
}

/** What a fragment shares; null for one that is damaged or none of ours. */
export async function sharedIn(fragment) {
  const [version, text] = fragment.replace("#", "").split(".");
  if (version !== VERSION || !text) {
    return null;
  }
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const content = await through(bytes, new DecompressionStream("deflate-raw"));
    const shared = JSON.parse(new TextDecoder().decode(content));
    const isOurs = typeof shared.text === "string" && typeof shared.isa === "string";
    return isOurs ? shared : null;
  } catch {
    return null;
  }
}

/** The bytes after a stream; fails where they are more than a program can be. */
async function through(bytes, stream) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const pieces = [];
  let size = 0;
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    pieces.push(piece.value);
    size += piece.value.length;
    if (size > MAX_TEXT) {
      throw new RangeError(`a shared program has ${MAX_TEXT} bytes at most`);
    }
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}
