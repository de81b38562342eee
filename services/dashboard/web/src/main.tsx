import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./global.css";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { reloadWhenStale } from "./reload_when_stale.ts";

reloadWhenStale();

const root = document.getElementById("root");
if (root !== null) createRoot(root).render(<App />);
