/**
 * A key and certificate for servers in tests: valid for `localhost`, 127.0.0.1 and ::1 from 2025 to
 * 2126, signed by itself. **Test-only**: the key is public, so it protects nothing.
 *
 * A client trusts it with `ca: testCertificate.cert`.
 */
export const testCertificate: { readonly key: string; readonly cert: string } = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgG60cVXFO3EG8ZkwJ
819wEmNbAqhlX6ZRmP1yebctzuyhRANCAAQ/ub/WHReAZxngGcX9ATyTv8VhDfw5
CcprBx9NJywMv/ah0wJMD+PUwmngxFsftwcvvyQb8p15uSo8t+PHDGpm
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBeTCCAR+gAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
c3QwIBcNMjUwMTAxMDAwMDAwWhgPMjEyNjAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABD+5v9YdF4BnGeAZ
xf0BPJO/xWEN/DkJymsHH00nLAy/9qHTAkwP49TCaeDEWx+3By+/JBvynXm5Kjy3
48cMamajYDBeMCwGA1UdEQQlMCOCCWxvY2FsaG9zdIcEfwAAAYcQAAAAAAAAAAAA
AAAAAAAAATAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBSI+erX5xqeHmk0kZTb
aqmpjAUNhjAKBggqhkjOPQQDAgNIADBFAiEA6vwW7y2E6X5mtuGVuyRE80MZWteV
rfpvZ53f+2XJO70CIEbxRkcrQlI+JExvTI5puKrFPNNElsg5e8wmfrGoXOyW
-----END CERTIFICATE-----`,
};

/** The same key with a certificate that was valid for `localhost` and 127.0.0.1 in 2024. */
export const expiredCertificate: { readonly key: string; readonly cert: string } = {
  key: testCertificate.key,
  cert: `-----BEGIN CERTIFICATE-----
MIIBeTCCAR6gAwIBAgIUYEUrjobRxdx1Yu2lQh7iI6MxsM8wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MB4XDTI0MDEwMTAwMDAwMFoXDTI1MDEwMTAw
MDAwMFowFDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAEP7m/1h0XgGcZ4BnF/QE8k7/FYQ38OQnKawcfTScsDL/2odMCTA/j1MJp
4MRbH7cHL78kG/KdebkqPLfjxwxqZqNOMEwwGgYDVR0RBBMwEYIJbG9jYWxob3N0
hwR/AAABMA8GA1UdEwEB/wQFMAMBAf8wHQYDVR0OBBYEFIj56tfnGp4eaTSRlNtq
qamMBQ2GMAoGCCqGSM49BAMCA0kAMEYCIQDrnBpxNfEe0m7tm8jb/tGTbW7Es8fI
QtlzRNrRYDt8uQIhAKg2kaGvMGVRn++7nFvxYtQz9T5qk3g2PnKXXU1ComYG
-----END CERTIFICATE-----`,
};
