/** Compares texts in upper and lower case alike: of addresses, only the host has no case (RFC 5321, 2.4). */
export const ANY_CASE = { locale: "en", strength: 2 } as const;
