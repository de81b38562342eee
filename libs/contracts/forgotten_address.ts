/** The address that replaces a forgotten one. It cannot exist (RFC 2606). */
export const FORGOTTEN_ADDRESS = "forgotten@forgotten.invalid";
