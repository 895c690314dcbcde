// unpack turns a packed text of the page, the library, the worker's program or its own, into its bytes:
// five characters from ! on are the digits, to base 85, of four bytes, with v for <.
async function unpack(id) {
  const text = document.getElementById(id).textContent, words = new DataView(new ArrayBuffer(text.length + 4));
  for (let at = 0; at < text.length; at += 5) {
    let word = 0;
    for (const c of text.slice(at, at + 5).padEnd(5, "u")) word = 85 * word + (c === "v" ? "<" : c).charCodeAt(0) - 33;
    words.setUint32(at / 5 * 4, word);
  }
  const packed = words.buffer.slice(0, Math.floor(text.length * 4 / 5));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

unpack("program").then(bytes => {
  const script = document.createElement("script");
  script.textContent = new TextDecoder().decode(bytes);
  document.body.append(script);
});
