import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// The page's own policy forbids scripts in the HTML, so nothing may be put there by the build.
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
  },
  server: {
    port: 8091,
    proxy: { "/api": { target: "http://localhost:8081", changeOrigin: false } },
  },
});
