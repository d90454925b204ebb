import type { SerpEngine } from '../../../schema/serp/serp-search.ts'

/** What is known of the blocks beside the results of an engine, as data. `EngineTable.version` counts these too. */
interface ShownTable {
  /** A page that the engine quotes above its results. Absent: it is not known how its pages show that. */
  readonly featured_snippet?: ShownBlock & {
    /** Elements that are neither such a block nor within one. */
    readonly excluded: readonly string[]
    /** What such a block has, beside the link to the page that it quotes. */
    readonly parts: readonly string[]
    readonly quoted: readonly string[]
  }
  /** A text that the engine generated. Absent: it is not known how its pages show that. */
  readonly ai_overview?: ShownBlock & {
    readonly bodies: readonly string[]
    /** Sentences that stand there when there is none. */
    readonly declined: RegExp
  }
}

/** What an engine shows beside its results. */
interface ShownBlock {
  readonly blocks: readonly string[]
  /**
   * Layouts that have the block wherever the engine shows it. Without the block, only a page of such a layout says that
   * there is none. Absent: every page says so.
   */
  readonly layouts?: readonly string[]
}

export const SHOWN_BLOCKS: Readonly<Record<SerpEngine, ShownTable>> = {
  google: {
    featured_snippet: {
      blocks: ['block-component', '.xpdopen'],
      excluded: ['.related-question-pair', '[data-initq]'],
      parts: ['h2', '[role="heading"][aria-level="2"]'],
      quoted: ['a[href]:has(h3)', 'h3 a[href]', 'a[href]:has([role="heading"][aria-level="3"])'],
    },
    ai_overview: {
      blocks: ['#eKIzJc', '[data-mcpr]', '.hdzaWe', '[jscontroller="EYwa3d"]'],
      bodies: ['.mZJni', '.Y3BBE', '[data-subtree="aimc"]', '.rPeykc', 'li.LLtSOc'],
      declined: /^(?:An AI Overview is not available|Can.t generate an AI overview|Thinking|Searching)/i,
    },
  },
  bing: {
    featured_snippet: {
      blocks: ['#b_results > li.b_ans'],
      // The answers of "People also ask" quote pages too.
      excluded: ['.b_qna', '.df_alsoAskCard', '[class*="alsoask" i]', '[id^="relatedQnA"]'],
      parts: ['.rwrl'],
      quoted: ['.rwrl_cred a[href]'],
      layouts: ['#b_results > li.b_algo'],
    },
    ai_overview: {
      blocks: ['#b_results > li.b_ans', '#b_pole'],
      bodies: ['.cht_container', '.gs_text', '.gs_heroTextHeader', '.gs_caphead'],
      declined: /(?!)/,
      layouts: ['#b_results > li.b_algo'],
    },
  },
  yahoo: {},
  duckduckgo: {
    // The layouts without scripts, and those before 2023, have no such texts whatever the search.
    ai_overview: {
      blocks: ['[data-layout="wikinlp"]', '[data-react-module-id="wikinlp"]'],
      bodies: ['[data-testid^="duckassist-"]'],
      declined: /(?!)/,
      layouts: ['article[data-testid="result"]'],
    },
  },
  yandex: {
    featured_snippet: {
      blocks: ['[data-fast-name="suggest_fact"]', '[data-fast-name="fact"]'],
      excluded: ['[data-fast-name="neuro_answer"]'],
      parts: ['.fact', '[class^="Fact"]'],
      quoted: ['a[href]'],
      layouts: ['.serp-item .OrganicTitle-Link'],
    },
    ai_overview: {
      blocks: ['[data-fast-name="neuro_answer"]'],
      bodies: ['.FuturisMarkdown'],
      declined: /(?!)/,
      layouts: ['.serp-item .OrganicTitle-Link'],
    },
  },
}
