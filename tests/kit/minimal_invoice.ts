const BASE = "urn:un:unece:uncefact:data:standard";

/** Returns an invoice of the profile MINIMUM. */
export function minimalInvoice(seller: string, total: string): string {
  const rsm = `xmlns="${BASE}:CrossIndustryInvoice:100"`;
  const ram = `xmlns="${BASE}:ReusableAggregateBusinessInformationEntity:100"`;
  const udt = `xmlns="${BASE}:UnqualifiedDataType:100"`;
  return `<CrossIndustryInvoice ${rsm}><ExchangedDocumentContext>` +
    `<GuidelineSpecifiedDocumentContextParameter ${ram}><ID>urn:factur-x.eu:1p0:minimum</ID>` +
    `</GuidelineSpecifiedDocumentContextParameter></ExchangedDocumentContext>` +
    `<ExchangedDocument><ID ${ram}>R-1</ID><TypeCode ${ram}>380</TypeCode><IssueDateTime ${ram}>` +
    `<DateTimeString ${udt} format="102">20260301</DateTimeString></IssueDateTime></ExchangedDocument>` +
    `<SupplyChainTradeTransaction><ApplicableHeaderTradeAgreement ${ram}>` +
    `<SellerTradeParty><Name>${seller}</Name><PostalTradeAddress><CountryID>DE</CountryID>` +
    `</PostalTradeAddress></SellerTradeParty><BuyerTradeParty><Name>B</Name></BuyerTradeParty>` +
    `</ApplicableHeaderTradeAgreement><ApplicableHeaderTradeDelivery ${ram}/>` +
    `<ApplicableHeaderTradeSettlement ${ram}><InvoiceCurrencyCode>EUR</InvoiceCurrencyCode>` +
    `<SpecifiedTradeSettlementHeaderMonetarySummation><TaxBasisTotalAmount>1</TaxBasisTotalAmount>` +
    `<GrandTotalAmount>${total}</GrandTotalAmount><DuePayableAmount>${total}</DuePayableAmount>` +
    `</SpecifiedTradeSettlementHeaderMonetarySummation></ApplicableHeaderTradeSettlement>` +
    `</SupplyChainTradeTransaction></CrossIndustryInvoice>`;
}
