import type { SerpEngine } from '../../../schema/serp/serp-search.ts'

const bing = (url: string) => `https://www.bing.com/ck/a?!&amp;u=a1${Buffer.from(url).toString('base64url')}&amp;ntb=1`
const yahoo = (url: string) => `https://r.search.yahoo.com/_ylt=A/RU=${encodeURIComponent(url)}/RK=2/RS=x`

const FIRST = 'https://first.example/a?b=c'
const SECOND = 'https://www.second.example/'
const THIRD = 'https://third.example/x'

/** A small page of three results of each engine, as it is built in 2026. The third has no snippet. */
export const PAGES: Readonly<Record<SerpEngine, string>> = {
  google: page(`<div id="rso">
    <div class="MjjYud"><div class="tF2Cxc"><a href="${FIRST}#frag"><h3>First title</h3>
      <cite>first.example</cite></a>
      <div data-sncf="1"><div class="VwiC3b">The first snippet.</div></div></div></div>
    <div class="MjjYud"><div class="tF2Cxc"><a href="/url?q=${encodeURIComponent(SECOND)}&amp;sa=U">
      <h3>Second title</h3></a>
      <div data-sncf="1"><div class="VwiC3b">The second  snippet.</div></div></div></div>
    <div class="MjjYud"><div class="tF2Cxc"><a href="${THIRD}"><h3>Third title</h3></a></div></div>
    </div><a id="pnnext" href="/search?q=x&amp;start=10">Next</a>`),
  bing: page(`<ol id="b_results">
    <li class="b_algo"><h2><a href="${bing(FIRST)}">First title</a></h2><div class="b_caption">
      <p class="b_lineclamp2">The first snippet.</p></div></li>
    <li class="b_ad"><h2><a href="https://www.bing.com/aclick?ld=1">Advert</a></h2></li>
    <li class="b_algo"><h2><a href="${SECOND}">Second title</a></h2><div class="b_caption">
      <p class="b_lineclamp2"><span class="algoSlug_icon">WEB</span>The second snippet.</p></div></li>
    <li class="b_algo"><h2><a href="${THIRD}">Third title</a></h2></li>
    </ol><a class="sb_pagN" href="/search?q=x&amp;first=11">Next</a>`),
  yahoo: page(`<div id="web"><ol>
    <li><div class="dd algo algo-sr"><div class="compTitle"><a data-matarget="algo" href="${yahoo(FIRST)}">
      <h3 class="title">First title</h3></a></div><div class="compText"><p>The first snippet.</p></div></div></li>
    <li><div class="dd algo algo-sr"><div class="compTitle"><h3 class="title"><a href="${SECOND}">
      <span class="p-abs">second.example</span>Second title</a></h3></div><div class="compText">
      <p>The second snippet.</p></div></div></li>
    <li><div class="dd algo algo-sr"><div class="compTitle"><a data-matarget="algo" href="${yahoo(THIRD)}">
      <h3 class="title">Third title</h3></a></div></div></li>
    </ol></div><div class="compPagination"><a class="next" href="/search?p=x&amp;b=8">Next</a></div>`),
  duckduckgo: page(`<ol>
    <li data-layout="organic"><article data-testid="result"><h2>
      <a data-testid="result-title-a" href="${FIRST}">First title</a></h2>
      <div data-result="snippet">The first snippet.</div></article></li>
    <li data-layout="organic"><article data-testid="result"><h2>
      <a data-testid="result-title-a" href="//duckduckgo.com/l/?uddg=${encodeURIComponent(SECOND)}"
      >Second title</a></h2>
      <div data-result="snippet">The second snippet.</div></article></li>
    <li data-layout="organic"><article data-testid="result"><h2>
      <a data-testid="result-title-a" href="${THIRD}">Third title</a></h2></article></li>
    </ol><button id="more-results">More</button>`),
  yandex: page(`<ul>
    <li class="serp-item"><h2><a class="OrganicTitle-Link" href="${FIRST}">
      <span class="OrganicTitleContentSpan">First title</span></a></h2>
      <span class="OrganicTextContentSpan">The first snippet.</span></li>
    <li class="serp-item"><h2>
      <a class="OrganicTitle-Link" href="https://yandex.ru/turbo?text=${encodeURIComponent(SECOND)}">
      <span class="OrganicTitleContentSpan">Second title</span></a></h2>
      <span class="OrganicTextContentSpan">The second snippet.</span></li>
    <li class="serp-item"><h2><a class="OrganicTitle-Link" href="${THIRD}">
      <span class="OrganicTitleContentSpan">Third title</span></a></h2></li>
    </ul><a class="Pager-Item_type_next" href="/search/?text=x&amp;p=1">Next</a>`),
}

function page(body: string): string {
  return `<!doctype html><html><head><title>x</title></head><body><main>${body}</main></body></html>`
}
