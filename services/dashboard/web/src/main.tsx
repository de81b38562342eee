import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./global.css";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { catchConsentReturn } from "./consent_return.ts";
import { catchBack } from "./parts/catch_back.ts";
import { showFrameFocus } from "./parts/show_frame_focus.ts";
import { reloadWhenStale } from "./reload_when_stale.ts";

catchConsentReturn();
reloadWhenStale();
catchBack();
showFrameFocus();
const root = document.getElementById("root");
if (root !== null) createRoot(root).render(<App />);
