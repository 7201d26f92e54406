// One file without a request: script and style go into the page, and only that script may run.
// `vite build` makes the page of a report, `vite build --mode app` the web app of `bancada serve`.
import { createHash } from "node:crypto";
import { defineConfig } from "vite";

const sha256 = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Puts every chunk and style into the page, and their digests into its policy. */
function singleFile(file) {
  return {
    name: "single-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = bundle[file];
      const files = Object.values(bundle).filter((file) => file !== page);
      const scripts = files.filter((file) => file.type === "chunk").map((file) => file.code.trim());
      const styles = files
        .filter((file) => file.fileName.endsWith(".css"))
        .map((file) => file.source.trim());
      if (scripts.length !== 1) throw new Error(`one script was expected, not ${scripts.length}`);
      // A script's text ends at the first closing tag, also inside a string.
      const script = scripts[0].replaceAll("</script", "<\\/script");
      const style = styles.join("\n");
      page.source = page.source
        .replace(/(id="page-document">)\s*null\s*(<)/, "$1null$2")
        .replace(/\s*<script type="module"[^>]*><\/script>/, "")
        .replace(/\s*<link rel="stylesheet"[^>]*>/, "")
        .replace("'sha256-of-the-script'", () => sha256(script))
        .replace("</head>", () => `<style>${style}</style>\n  </head>`)
        .replace("</body>", () => `<script type="module">${script}</script>\n  </body>`);
      for (const { fileName } of files) delete bundle[fileName];
    },
  };
}

export default defineConfig(({ mode }) => {
  const file = mode === "app" ? "app.html" : "index.html";
  return {
    plugins: [singleFile(file)],
    build: {
      target: "es2022",
      outDir: process.env.BANCADA_BUILD ?? "dist",
      // dist/ keeps the file that lets the binary's build see it.
      emptyOutDir: false,
      assetsInlineLimit: 1 << 20,
      cssCodeSplit: false,
      modulePreload: false,
      chunkSizeWarningLimit: 1000,
      rolldownOptions: { input: file },
    },
  };
});
