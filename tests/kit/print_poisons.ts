/** What a document might do to the page it is shown in. */
export const PRINT_POISONS: readonly string[] = [
  `<meta http-equiv="Content-Security-Policy" content="style-src 'none'">`,
  `<meta http-equiv=refresh content="0;url=about:blank">`,
  `<meta http-equiv=refresh content="0.01;url=about:blank#x">`,
  `<meta http-equiv=default-style content=a><meta http-equiv=content-language content=ja>`,
  `<style title=a>p{color:red}</style>`,
  `<base href="http://example.com/" target=_blank>`,
  `<meta name=color-scheme content=dark><meta name=referrer content=no-referrer>`,
  `<html lang=ja dir=rtl class=dark style="--c:red;font-size:40px"><body style="zoom:3">`,
  `<style>@page{size:50mm 50mm}@page x{size:A3}.x{page:x}p{page:x}</style>`,
  `<style>@property --c{syntax:"<color>";inherits:false;initial-value:red}</style>`,
  `<style>@counter-style decimal-leading-zero{system:cyclic;symbols:"Z"}ol{list-style:x}` +
  `@counter-style x{system:cyclic;symbols:"Y"}</style>`,
  `<style>@font-face{font-family:mine;src:local("Noto Serif")}*{font-family:mine!important}</style>`,
  `<style>@layer a,b;@namespace svg url(http://www.w3.org/2000/svg);html{overflow:hidden}</style>`,
  `<div style="height:9000px"></div><p id=end autofocus tabindex=1>end`,
  `<plaintext>`,
  `<!-- never closed`,
  `<template shadowrootmode=open><style>p{color:red}</style></template>`,
];

const POLICY = `http-equiv="Content-Security-Policy" content="img-src 'none'; style-src 'none'"`;

/** Each sets a policy by a tag that a pattern reads as another one, or as none. */
export const HIDDEN_POLICIES: readonly string[] = [
  `<meta charset="x>" ${POLICY}>`,
  `<meta charset="utf-8>" ${POLICY}>`,
  `<meta name="viewport>" ${POLICY}>`,
  `<meta charset='x>' ${POLICY}>`,
  `<style media="print>"></style><meta ${POLICY}>`,
  `<noscript><meta ${POLICY}></noscript>`,
  `<svg><style></svg><meta ${POLICY}>`,
];

/** Beginnings of documents that a parser may read as a comment, and browsers do not: `<img>` is shown. */
export const BEFORE_POLICIES: readonly string[] = [
  "<!--><img>--><!doctype html>",
  "<!---><img>--><!doctype html>",
  "<!-- --!><img>--><!doctype html>",
  "<!-- a --> <!--><img>--><!DOCTYPE html>",
  "\uFEFF<!--><img>--><!doctype html>",
];
