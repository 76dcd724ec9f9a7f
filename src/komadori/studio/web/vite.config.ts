import { defineConfig } from "vite";

// One page, everything in its own files: the server's content security policy allows nothing inline or from outside.
export default defineConfig({
  base: "./",
  build: {
    outDir: "../page",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 2000,
    modulePreload: { polyfill: false },
    // The wheel carries code of others: their licences go with it.
    license: { fileName: "licenses.md" },
  },
});
