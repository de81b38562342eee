import type { PdfEncryption } from "@posthaste/contracts";

/** The password of {@linkcode TEST_ENCRYPTION}. */
export const TEST_PASSWORD = "Zoë & 1";

/** As the renderer made it from the password. Readers of PDFs judge whether that was right. */
export const TEST_ENCRYPTION: PdfEncryption = {
  key: "ID9BZAZFanLDb5NERnxDmD/Z9E/i2uZShtz4XWIJYvQ=",
  u: "TtPBUsj7t8JZF2pYZvQwqs/Z6pDUaLyTIJ+EJaAq2du8CBXgNrEOCTIuOpgspH/s",
  ue: "4TR7MJUhvsVr6XDGmOXSIUQ0s6EW/kPK+0ff7BkDjmY=",
  o: "tW9jmsr70zS6C1gKvxZBxLafbgsO5g4abgsE2ydcr++PFLM51TEP392Vx1RPJ8Yv",
  oe: "zFaEDU1l8GRxm/T8EOS0He1E4eyRIyLfUY1H7PaAxbI=",
};
