import { pageOptionsSchema } from "@posthaste/contracts";
import type { Example } from "../example.ts";
import { INVOICE } from "./invoice.ts";

const XML = `<?xml version="1.0" encoding="UTF-8"?>
<rsm:CrossIndustryInvoice
  xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
  xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"
  xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100">
  <rsm:ExchangedDocumentContext>
    <ram:GuidelineSpecifiedDocumentContextParameter>
      <ram:ID>urn:cen.eu:en16931:2017</ram:ID>
    </ram:GuidelineSpecifiedDocumentContextParameter>
  </rsm:ExchangedDocumentContext>
  <rsm:ExchangedDocument>
    <ram:ID>{{ number }}</ram:ID>
    <ram:TypeCode>380</ram:TypeCode>
    <ram:IssueDateTime>
      <udt:DateTimeString format="102">{{ date issuedAt year="numeric" }}{{ date issuedAt month="2-digit" }}{{ date issuedAt day="2-digit" }}</udt:DateTimeString>
    </ram:IssueDateTime>
  </rsm:ExchangedDocument>
  <rsm:SupplyChainTradeTransaction>
    {{#each lines}}
    <ram:IncludedSupplyChainTradeLineItem>
      <ram:AssociatedDocumentLineDocument>
        <ram:LineID>{{ add @index 1 }}</ram:LineID>
      </ram:AssociatedDocumentLineDocument>
      <ram:SpecifiedTradeProduct>
        <ram:Name>{{ name }}</ram:Name>
      </ram:SpecifiedTradeProduct>
      <ram:SpecifiedLineTradeAgreement>
        <ram:NetPriceProductTradePrice>
          <ram:ChargeAmount>{{ price }}</ram:ChargeAmount>
        </ram:NetPriceProductTradePrice>
      </ram:SpecifiedLineTradeAgreement>
      <ram:SpecifiedLineTradeDelivery>
        <ram:BilledQuantity unitCode="C62">{{ quantity }}</ram:BilledQuantity>
      </ram:SpecifiedLineTradeDelivery>
      <ram:SpecifiedLineTradeSettlement>
        <ram:ApplicableTradeTax>
          <ram:TypeCode>VAT</ram:TypeCode>
          <ram:CategoryCode>{{#if @root.taxRate}}S{{else}}Z{{/if}}</ram:CategoryCode>
          <ram:RateApplicablePercent>{{ round (multiply @root.taxRate 100) 2 }}</ram:RateApplicablePercent>
        </ram:ApplicableTradeTax>
        <ram:SpecifiedTradeSettlementLineMonetarySummation>
          <ram:LineTotalAmount>{{ round (multiply quantity price) 2 }}</ram:LineTotalAmount>
        </ram:SpecifiedTradeSettlementLineMonetarySummation>
      </ram:SpecifiedLineTradeSettlement>
    </ram:IncludedSupplyChainTradeLineItem>
    {{/each}}
    <ram:ApplicableHeaderTradeAgreement>
      <ram:SellerTradeParty>
        <ram:Name>{{ sender.name }}</ram:Name>
        <ram:PostalTradeAddress>
          <ram:LineOne>{{ sender.street }}</ram:LineOne>
          <ram:CityName>{{ sender.city }}</ram:CityName>
          <ram:CountryID>{{ sender.country }}</ram:CountryID>
        </ram:PostalTradeAddress>
        <ram:SpecifiedTaxRegistration>
          <ram:ID schemeID="VA">{{ sender.vatId }}</ram:ID>
        </ram:SpecifiedTaxRegistration>
      </ram:SellerTradeParty>
      <ram:BuyerTradeParty>
        <ram:Name>{{ customer.name }}</ram:Name>
        <ram:PostalTradeAddress>
          <ram:LineOne>{{ customer.street }}</ram:LineOne>
          <ram:CityName>{{ customer.city }}</ram:CityName>
          <ram:CountryID>{{ customer.country }}</ram:CountryID>
        </ram:PostalTradeAddress>
      </ram:BuyerTradeParty>
    </ram:ApplicableHeaderTradeAgreement>
    <ram:ApplicableHeaderTradeDelivery/>
    <ram:ApplicableHeaderTradeSettlement>
      <ram:InvoiceCurrencyCode>{{ currency }}</ram:InvoiceCurrencyCode>
      {{#with (sum lines "quantity" "price" round=2) as |net|}}
      {{#with (round (multiply net @root.taxRate) 2) as |tax|}}
      <ram:ApplicableTradeTax>
        <ram:CalculatedAmount>{{ tax }}</ram:CalculatedAmount>
        <ram:TypeCode>VAT</ram:TypeCode>
        <ram:BasisAmount>{{ net }}</ram:BasisAmount>
        <ram:CategoryCode>{{#if @root.taxRate}}S{{else}}Z{{/if}}</ram:CategoryCode>
        <ram:RateApplicablePercent>{{ round (multiply @root.taxRate 100) 2 }}</ram:RateApplicablePercent>
      </ram:ApplicableTradeTax>
      <ram:SpecifiedTradePaymentTerms>
        <ram:DueDateDateTime>
          <udt:DateTimeString format="102">{{ date @root.dueAt year="numeric" }}{{ date @root.dueAt month="2-digit" }}{{ date @root.dueAt day="2-digit" }}</udt:DateTimeString>
        </ram:DueDateDateTime>
      </ram:SpecifiedTradePaymentTerms>
      <ram:SpecifiedTradeSettlementHeaderMonetarySummation>
        <ram:LineTotalAmount>{{ net }}</ram:LineTotalAmount>
        <ram:TaxBasisTotalAmount>{{ net }}</ram:TaxBasisTotalAmount>
        <ram:TaxTotalAmount currencyID="{{ @root.currency }}">{{ tax }}</ram:TaxTotalAmount>
        <ram:GrandTotalAmount>{{ round (add net tax) 2 }}</ram:GrandTotalAmount>
        <ram:DuePayableAmount>{{ round (add net tax) 2 }}</ram:DuePayableAmount>
      </ram:SpecifiedTradeSettlementHeaderMonetarySummation>
      {{/with}}
      {{/with}}
    </ram:ApplicableHeaderTradeSettlement>
  </rsm:SupplyChainTradeTransaction>
</rsm:CrossIndustryInvoice>
`;

const { page, variables = [], sample = {}, ...rest } = INVOICE.source;

const WHO = {
  sender: "name, street, city, country, vatId, iban",
  customer: "name, street, city, country",
};

/** The same invoice as PDF/A-3b, with its data as XML of EN 16931. */
export const E_INVOICE: Example = {
  id: "e-invoice",
  name: "Invoice with XML",
  about: "The same invoice for people and for programs: Factur-X or ZUGFeRD (EN 16931).",
  source: {
    ...rest,
    invoice: XML,
    page: {
      ...page ?? pageOptionsSchema.parse({}),
      ...{ conformance: "pdf/a-3b", invoice: "en16931" },
    },
    variables: variables.map((variable) =>
      variable.name === "sender" || variable.name === "customer"
        ? { ...variable, description: `Fields: ${WHO[variable.name]}` }
        : variable
    ),
    sample: {
      ...sample,
      sender: {
        ...{ name: "Acme", street: "Speicherstraße 14", city: "20457 Hamburg", country: "DE" },
        ...{ vatId: "DE123456789", iban: "DE02 1203 0000 0000 2020 51" },
      },
      customer: {
        ...{ name: "Café Ångström GmbH", street: "Kanalstraße 5", city: "22085 Hamburg" },
        country: "DE",
      },
    },
  },
};
