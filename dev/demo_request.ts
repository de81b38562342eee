/** The target of a request of the demonstration. */
export interface DemoRequest {
  /** Base of the interface; ends with `/v1`. */
  apiUrl: string;
  token: string;
  integrationId: number;
  /** Number of the PDF template `invoice`. */
  invoiceId: number;
  /** Address that the mail comes from. */
  sender: string;
}

/**
 * Writes commands that send a welcome mail with a PDF invoice. They can be pasted into sh, bash, zsh and
 * fish: the JSON is between single quotes and contains none.
 */
export function demoCommand(request: DemoRequest): string {
  const { apiUrl, token, integrationId } = request;
  return `export POSTHASTE_TOKEN=${token}
curl ${apiUrl}/templates/welcome/send/${integrationId} \\
  -H "Authorization: Bearer $POSTHASTE_TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '${demoBody(request)}'`;
}

function demoBody({ sender, invoiceId }: DemoRequest): string {
  return `{
    "from": { "email": "${sender}", "name": "Northwind" },
    "to": [{
      "email": "ada@example.com", "name": "Ada Lovelace",
      "variables": { "name": "Ada", "roast": "Sidamo Natural" },
      "attachments": [{
        "id": ${invoiceId}, "filename": "invoice-2026-0042.pdf",
        "variables": {
          "number": "2026-0042", "issuedAt": "2026-03-02",
          "dueAt": "2026-03-16",
          "customer": { "name": "Ada Lovelace", "street": "12 St James Sq" },
          "lines": [
            { "name": "Harbour Blend, 1 kg", "quantity": 2, "price": 21.5 },
            { "name": "Sidamo Natural, 1 kg", "quantity": 1, "price": 28.9 }
          ],
          "subtotal": 71.9, "tax": 5.03, "total": 76.93
        }
      }]
    }]
  }`;
}
