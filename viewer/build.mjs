// One script, one style sheet, one page: node build.mjs DIRECTORY
import { build } from "esbuild";
import { cpSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "dist");
mkdirSync(out, { recursive: true });
await build({
  entryPoints: [join(here, "src/app.tsx"), join(here, "src/app.css")],
  outdir: out,
  bundle: true,
  minify: true,
  target: "es2022",
  format: "esm",
  charset: "utf8",
  legalComments: "none",
  jsx: "automatic",
  jsxImportSource: "preact",
  logLevel: "warning",
});
cpSync(join(here, "src/index.html"), join(out, "index.html"));
