// Generated from schema/ by `npm run gen`.
import type * as pulumi from '@pulumi/pulumi'

/** What to extract from the response, with one of six methods. */
export type ExtractConfigArgs =
  | {
      /**
       * css, xpath, json_path, regex: one rule for each field. full_page: only whether the content changed. prompt: a
       * language model reads the values.
       */
      method: 'css' | 'xpath'
      /**
       * Field name to CSS selector (css, first match), XPath 1.0 expression (xpath), RFC 9535 JSONPath (json_path),
       * JavaScript pattern (regex). A selector or an XPath that ends in `[]` gives the list of all its matches. Beyond
       * the contract: a selector may end in `::attr(NAME)`, an attribute, or `::text`, the text without that of
       * elements inside. 1 to 50 entries.
       */
      fields: pulumi.Input<{ [key: string]: pulumi.Input<string> }>
      /**
       * Beyond the contract: what the page is read without. css, xpath and prompt read it as if it had no such
       * elements. full_page: with it, even when it is empty, content_hash is the hash of the readable text of the page.
       */
      ignore?: pulumi.Input<IgnoreArgs | undefined>
      /**
       * Beyond the contract: field name to what is done to its value before it is compared. With it, content_hash of
       * full_page is the hash of the lines that are left of the readable text. At most 50 entries.
       */
      clean?: pulumi.Input<{ [key: string]: pulumi.Input<pulumi.Input<TreatmentArgs>[]> } | undefined>
      /**
       * Beyond the contract: structured_data, with json_path alone, reads what an HTML page states for machines as one
       * object: json_ld, microdata, open_graph, meta, scripts, and product, article and event, agreed over all of them.
       * document reads a PDF, DOCX, XLSX, CSV, TSV or iCalendar file, fetched without a browser: as a tree, for
       * json_path as one object. Absent: the answer is read as the method says.
       */
      readAs?: pulumi.Input<'document' | 'structured_data' | undefined>
      /**
       * Beyond the contract: a CSS selector. A rendered page is read once an element matches it; if none does within 20
       * seconds, the run fails. 1 to 1,000 characters.
       */
      waitFor?: pulumi.Input<string | undefined>
    }
  | {
      /**
       * css, xpath, json_path, regex: one rule for each field. full_page: only whether the content changed. prompt: a
       * language model reads the values.
       */
      method: 'json_path'
      /**
       * Field name to CSS selector (css, first match), XPath 1.0 expression (xpath), RFC 9535 JSONPath (json_path),
       * JavaScript pattern (regex). A selector or an XPath that ends in `[]` gives the list of all its matches. Beyond
       * the contract: a selector may end in `::attr(NAME)`, an attribute, or `::text`, the text without that of
       * elements inside. 1 to 50 entries.
       */
      fields: pulumi.Input<{ [key: string]: pulumi.Input<string> }>
      /**
       * Beyond the contract: field name to what is done to its value before it is compared. With it, content_hash of
       * full_page is the hash of the lines that are left of the readable text. At most 50 entries.
       */
      clean?: pulumi.Input<{ [key: string]: pulumi.Input<pulumi.Input<TreatmentArgs>[]> } | undefined>
      /**
       * Beyond the contract: structured_data, with json_path alone, reads what an HTML page states for machines as one
       * object: json_ld, microdata, open_graph, meta, scripts, and product, article and event, agreed over all of them.
       * document reads a PDF, DOCX, XLSX, CSV, TSV or iCalendar file, fetched without a browser: as a tree, for
       * json_path as one object. Absent: the answer is read as the method says.
       */
      readAs?: pulumi.Input<'document' | 'structured_data' | undefined>
    }
  | {
      /**
       * css, xpath, json_path, regex: one rule for each field. full_page: only whether the content changed. prompt: a
       * language model reads the values.
       */
      method: 'regex'
      /**
       * Field name to CSS selector (css, first match), XPath 1.0 expression (xpath), RFC 9535 JSONPath (json_path),
       * JavaScript pattern (regex). A selector or an XPath that ends in `[]` gives the list of all its matches. Beyond
       * the contract: a selector may end in `::attr(NAME)`, an attribute, or `::text`, the text without that of
       * elements inside. 1 to 50 entries.
       */
      fields: pulumi.Input<{ [key: string]: pulumi.Input<string> }>
      /**
       * Beyond the contract: field name to what is done to its value before it is compared. With it, content_hash of
       * full_page is the hash of the lines that are left of the readable text. At most 50 entries.
       */
      clean?: pulumi.Input<{ [key: string]: pulumi.Input<pulumi.Input<TreatmentArgs>[]> } | undefined>
      /**
       * Beyond the contract: structured_data, with json_path alone, reads what an HTML page states for machines as one
       * object: json_ld, microdata, open_graph, meta, scripts, and product, article and event, agreed over all of them.
       * document reads a PDF, DOCX, XLSX, CSV, TSV or iCalendar file, fetched without a browser: as a tree, for
       * json_path as one object. Absent: the answer is read as the method says.
       */
      readAs?: pulumi.Input<'document' | 'structured_data' | undefined>
      /**
       * Beyond the contract: a CSS selector. A rendered page is read once an element matches it; if none does within 20
       * seconds, the run fails. 1 to 1,000 characters.
       */
      waitFor?: pulumi.Input<string | undefined>
    }
  | {
      /**
       * css, xpath, json_path, regex: one rule for each field. full_page: only whether the content changed. prompt: a
       * language model reads the values.
       */
      method: 'full_page'
      /**
       * Beyond the contract: what the page is read without. css, xpath and prompt read it as if it had no such
       * elements. full_page: with it, even when it is empty, content_hash is the hash of the readable text of the page.
       */
      ignore?: pulumi.Input<IgnoreArgs | undefined>
      /**
       * Beyond the contract: field name to what is done to its value before it is compared. With it, content_hash of
       * full_page is the hash of the lines that are left of the readable text. At most 50 entries.
       */
      clean?: pulumi.Input<{ [key: string]: pulumi.Input<pulumi.Input<TreatmentArgs>[]> } | undefined>
      /**
       * Beyond the contract: structured_data, with json_path alone, reads what an HTML page states for machines as one
       * object: json_ld, microdata, open_graph, meta, scripts, and product, article and event, agreed over all of them.
       * document reads a PDF, DOCX, XLSX, CSV, TSV or iCalendar file, fetched without a browser: as a tree, for
       * json_path as one object. Absent: the answer is read as the method says.
       */
      readAs?: pulumi.Input<'document' | 'structured_data' | undefined>
      /**
       * Beyond the contract: a CSS selector. A rendered page is read once an element matches it; if none does within 20
       * seconds, the run fails. 1 to 1,000 characters.
       */
      waitFor?: pulumi.Input<string | undefined>
    }
  | {
      /**
       * css, xpath, json_path, regex: one rule for each field. full_page: only whether the content changed. prompt: a
       * language model reads the values.
       */
      method: 'prompt'
      /** Description of the values to extract from the page. 10 to 2,000 characters. */
      prompt: pulumi.Input<string>
      /** Hints in the form of a JSON Schema. Its keys become the field names. */
      schema?: pulumi.Input<{ [key: string]: unknown } | undefined>
      /**
       * Beyond the contract: what the page is read without. css, xpath and prompt read it as if it had no such
       * elements. full_page: with it, even when it is empty, content_hash is the hash of the readable text of the page.
       */
      ignore?: pulumi.Input<IgnoreArgs | undefined>
      /**
       * Beyond the contract: field name to what is done to its value before it is compared. With it, content_hash of
       * full_page is the hash of the lines that are left of the readable text. At most 50 entries.
       */
      clean?: pulumi.Input<{ [key: string]: pulumi.Input<pulumi.Input<TreatmentArgs>[]> } | undefined>
      /**
       * Beyond the contract: structured_data, with json_path alone, reads what an HTML page states for machines as one
       * object: json_ld, microdata, open_graph, meta, scripts, and product, article and event, agreed over all of them.
       * document reads a PDF, DOCX, XLSX, CSV, TSV or iCalendar file, fetched without a browser: as a tree, for
       * json_path as one object. Absent: the answer is read as the method says.
       */
      readAs?: pulumi.Input<'document' | 'structured_data' | undefined>
      /**
       * Beyond the contract: a CSS selector. A rendered page is read once an element matches it; if none does within 20
       * seconds, the run fails. 1 to 1,000 characters.
       */
      waitFor?: pulumi.Input<string | undefined>
    }

/**
 * Beyond the contract: what the page is read without. css, xpath and prompt read it as if it had no such elements.
 * full_page: with it, even when it is empty, content_hash is the hash of the readable text of the page.
 */
export interface IgnoreArgs {
  /** CSS selectors: their elements are left out. At most 20 items. */
  selectors?: pulumi.Input<pulumi.Input<string>[] | undefined>
  /** JavaScript patterns: lines that match are left out. Only of full_page. At most 20 items. */
  patterns?: pulumi.Input<pulumi.Input<string>[] | undefined>
}

/** What is done to the lines of a text, or to the items of a list. */
export type TreatmentArgs =
  | {
      /**
       * keep_lines, drop_lines: by a pattern. replace: what a pattern matches. sort, unique. first, last: so many.
       * between: what stands between two texts. absolute_links: addresses that are relative to the page.
       */
      do: 'keep_lines' | 'drop_lines'
      /** JavaScript pattern, tried on each line or item. 1 to 1,000 characters. */
      pattern: pulumi.Input<string>
    }
  | {
      /**
       * keep_lines, drop_lines: by a pattern. replace: what a pattern matches. sort, unique. first, last: so many.
       * between: what stands between two texts. absolute_links: addresses that are relative to the page.
       */
      do: 'replace'
      /** JavaScript pattern, tried on each line or item. 1 to 1,000 characters. */
      pattern: pulumi.Input<string>
      /**
       * What takes the place of each match. $1 is the first group of the pattern, $& all of it. At most 1,000
       * characters.
       */
      text: pulumi.Input<string>
    }
  | {
      /**
       * keep_lines, drop_lines: by a pattern. replace: what a pattern matches. sort, unique. first, last: so many.
       * between: what stands between two texts. absolute_links: addresses that are relative to the page.
       */
      do: 'sort' | 'unique' | 'absolute_links'
    }
  | {
      /**
       * keep_lines, drop_lines: by a pattern. replace: what a pattern matches. sort, unique. first, last: so many.
       * between: what stands between two texts. absolute_links: addresses that are relative to the page.
       */
      do: 'first' | 'last'
      /** How many are kept. 1 to 1,000. */
      count: pulumi.Input<number>
    }
  | {
      /**
       * keep_lines, drop_lines: by a pattern. replace: what a pattern matches. sort, unique. first, last: so many.
       * between: what stands between two texts. absolute_links: addresses that are relative to the page.
       */
      do: 'between'
      /** What is behind the first place of this text is kept. 1 to 1,000 characters. */
      after: pulumi.Input<string>
      /** What is before the next place of this text is kept. 1 to 1,000 characters. */
      before: pulumi.Input<string>
    }

/** The condition under which a difference causes a notification. */
export type DiffPredicateArgs =
  | {
      /** The kind of condition. composite joins several. */
      type: 'any_field_changes'
    }
  | {
      /** The kind of condition. composite joins several. */
      type: 'field_changes' | 'list_gains_items' | 'list_loses_items'
      /** A field name that extractConfig defines. 1 to 100 characters. */
      field: pulumi.Input<string>
    }
  | {
      /** The kind of condition. composite joins several. */
      type:
        | 'field_increases_by_percent'
        | 'field_decreases_by_percent'
        | 'field_increases_by_absolute'
        | 'field_decreases_by_absolute'
        | 'field_above'
        | 'field_below'
      /** A field name that extractConfig defines. 1 to 100 characters. */
      field: pulumi.Input<string>
      /** For percent types: a positive number; 5 means 5 percent. -1,000,000,000,000,000 to 1,000,000,000,000,000. */
      threshold: pulumi.Input<number>
    }
  | {
      /** The kind of condition. composite joins several. */
      type: 'list_gains_unseen_items'
      /** A field name that extractConfig defines. 1 to 100 characters. */
      field: pulumi.Input<string>
      /** An item that was not shown for longer is told again. Absent: never. 1 to 3,650. */
      forgetAfterDays?: pulumi.Input<number | undefined>
    }
  | {
      /** The kind of condition. composite joins several. */
      type: 'lines_added' | 'lines_removed'
      /** A field name that extractConfig defines. 1 to 100 characters. */
      field: pulumi.Input<string>
      /**
       * JavaScript regular expression. Of lines_added and lines_removed: one of the lines has to match it. 1 to 1,000
       * characters.
       */
      pattern?: pulumi.Input<string | undefined>
    }
  | {
      /** The kind of condition. composite joins several. */
      type: 'field_matches_regex'
      /** A field name that extractConfig defines. 1 to 100 characters. */
      field: pulumi.Input<string>
      /**
       * JavaScript regular expression. Of lines_added and lines_removed: one of the lines has to match it. 1 to 1,000
       * characters.
       */
      pattern: pulumi.Input<string>
    }
  | {
      /** The kind of condition. composite joins several. */
      type: 'field_equals'
      /** A field name that extractConfig defines. 1 to 100 characters. */
      field: pulumi.Input<string>
      /** A string, number or boolean. */
      value: pulumi.Input<string | number | boolean>
    }
  | {
      /** The kind of condition. composite joins several. */
      type: 'composite'
      /** AND: all conditions hold. OR: at least one holds. */
      operator: pulumi.Input<'AND' | 'OR'>
      /** The conditions that the operator joins. 1 to 25 items. */
      conditions: pulumi.Input<pulumi.Input<DiffPredicateArgs>[]>
    }

/** Beyond the contract: the hours of each day in which nothing is sent. What fires then is sent when they end. */
export interface QuietHoursArgs {
  /** When they begin, such as 22:00. At most 5 characters. */
  from: pulumi.Input<string>
  /** When they end, such as 07:00. Before `from`: on the next day. At most 5 characters. */
  until: pulumi.Input<string>
  /** The IANA name of a time zone, such as Europe/Berlin. 1 to 64 characters. */
  timeZone: pulumi.Input<string>
}

/** Beyond the contract: what messages for people say. */
export interface MessageArgs {
  /** The headline, as plain text. Names in `{{…}}` are replaced by their values. 1 to 200 characters. */
  title?: pulumi.Input<string | undefined>
  /**
   * What stands below it, in the markup of the service. Names in `{{…}}` are replaced by their values. 1 to 4,000
   * characters.
   */
  text?: pulumi.Input<string | undefined>
}

/** Beyond the contract: collects what fires, and sends it as one message to a destination. */
export interface DigestArgs {
  /** The time of a day at which it is sent, such as 08:00. At most 5 characters. */
  dailyAt?: pulumi.Input<string | undefined>
  /** The IANA name of the time zone of `dailyAt`, such as Europe/Berlin. 1 to 64 characters. */
  timeZone?: pulumi.Input<string | undefined>
  /** The days on which it is sent at `dailyAt`. Absent: every day. 1 to 7 items. */
  days?: pulumi.Input<pulumi.Input<'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun'>[] | undefined>
  /** It is sent so many seconds after the first change that it holds. 60 to 604,800. */
  everySeconds?: pulumi.Input<number | undefined>
}

/** Direct request, never through a browser or proxy. */
export interface RequestConfigArgs {
  /** The HTTP method. Default: GET. */
  method?: pulumi.Input<'GET' | 'POST' | 'PUT' | 'PATCH' | undefined>
  /** The body as it is sent. Its type is the content-type of requestHeaders. At most 100,000 characters. */
  body?: pulumi.Input<string | undefined>
  /** How the following pages are requested. Their items are joined. */
  pagination?: pulumi.Input<PaginationArgs | undefined>
}

/** How the following pages are requested. Their items are joined. */
export type PaginationArgs =
  | {
      /**
       * page: a number that counts. cursor: a value from the response. next_url: an address from the response.
       * link_header: the Link header.
       */
      type: 'page'
      /** Where the parameter of a page is written. */
      in: pulumi.Input<'query' | 'body'>
      /** Query parameter name, or dot path into the body. 1 to 200 characters. */
      param: pulumi.Input<string>
      /** The value for the first page. 0 to 1,000,000,000. Default: 1. */
      start?: pulumi.Input<number | undefined>
      /** Added to the value for each next page. 1 to 1,000,000. Default: 1. */
      step?: pulumi.Input<number | undefined>
      /**
       * The array of items. Omit it if the response is an array. Dot path with optional leading "$." and numeric array
       * indexes. 1 to 200 characters.
       */
      itemsPath?: pulumi.Input<string | undefined>
      /**
       * The total count. Paging stops when it is reached. Dot path with optional leading "$." and numeric array
       * indexes. 1 to 200 characters.
       */
      totalPath?: pulumi.Input<string | undefined>
      /**
       * A boolean. Paging stops on false. Dot path with optional leading "$." and numeric array indexes. 1 to 200
       * characters.
       */
      hasMorePath?: pulumi.Input<string | undefined>
      /** Paging stops after this many pages. 1 to 50. Default: 20. */
      maxPages?: pulumi.Input<number | undefined>
    }
  | {
      /**
       * page: a number that counts. cursor: a value from the response. next_url: an address from the response.
       * link_header: the Link header.
       */
      type: 'cursor'
      /** Where the parameter of a page is written. */
      in: pulumi.Input<'query' | 'body'>
      /** Query parameter name, or dot path into the body. 1 to 200 characters. */
      param: pulumi.Input<string>
      /** The next cursor. Dot path with optional leading "$." and numeric array indexes. 1 to 200 characters. */
      cursorPath: pulumi.Input<string>
      /**
       * The array of items. Omit it if the response is an array. Dot path with optional leading "$." and numeric array
       * indexes. 1 to 200 characters.
       */
      itemsPath?: pulumi.Input<string | undefined>
      /**
       * The total count. Paging stops when it is reached. Dot path with optional leading "$." and numeric array
       * indexes. 1 to 200 characters.
       */
      totalPath?: pulumi.Input<string | undefined>
      /**
       * A boolean. Paging stops on false. Dot path with optional leading "$." and numeric array indexes. 1 to 200
       * characters.
       */
      hasMorePath?: pulumi.Input<string | undefined>
      /** Paging stops after this many pages. 1 to 50. Default: 20. */
      maxPages?: pulumi.Input<number | undefined>
    }
  | {
      /**
       * page: a number that counts. cursor: a value from the response. next_url: an address from the response.
       * link_header: the Link header.
       */
      type: 'next_url'
      /**
       * The next URL, which may be relative. Dot path with optional leading "$." and numeric array indexes. 1 to 200
       * characters.
       */
      nextUrlPath: pulumi.Input<string>
      /**
       * The array of items. Omit it if the response is an array. Dot path with optional leading "$." and numeric array
       * indexes. 1 to 200 characters.
       */
      itemsPath?: pulumi.Input<string | undefined>
      /**
       * The total count. Paging stops when it is reached. Dot path with optional leading "$." and numeric array
       * indexes. 1 to 200 characters.
       */
      totalPath?: pulumi.Input<string | undefined>
      /**
       * A boolean. Paging stops on false. Dot path with optional leading "$." and numeric array indexes. 1 to 200
       * characters.
       */
      hasMorePath?: pulumi.Input<string | undefined>
      /** Paging stops after this many pages. 1 to 50. Default: 20. */
      maxPages?: pulumi.Input<number | undefined>
    }
  | {
      /**
       * page: a number that counts. cursor: a value from the response. next_url: an address from the response.
       * link_header: the Link header.
       */
      type: 'link_header'
      /**
       * The array of items. Omit it if the response is an array. Dot path with optional leading "$." and numeric array
       * indexes. 1 to 200 characters.
       */
      itemsPath?: pulumi.Input<string | undefined>
      /**
       * The total count. Paging stops when it is reached. Dot path with optional leading "$." and numeric array
       * indexes. 1 to 200 characters.
       */
      totalPath?: pulumi.Input<string | undefined>
      /**
       * A boolean. Paging stops on false. Dot path with optional leading "$." and numeric array indexes. 1 to 200
       * characters.
       */
      hasMorePath?: pulumi.Input<string | undefined>
      /** Paging stops after this many pages. 1 to 50. Default: 20. */
      maxPages?: pulumi.Input<number | undefined>
    }

/** Takes a screenshot at each check and compares it with the previous one, pixel by pixel. */
export interface VisualConfigArgs {
  /** Whether screenshots are taken and compared. */
  enabled: pulumi.Input<boolean>
  /** Notifies when at least this percentage of the area changed. 0 to 100. Default: 1. */
  thresholdPct?: pulumi.Input<number | undefined>
  /** The whole page. False: only what the viewport shows. Default: true. */
  fullPage?: pulumi.Input<boolean | undefined>
  /** Compares only these parts. Empty: the whole picture. At most 20 items. */
  regions?: pulumi.Input<pulumi.Input<RegionArgs>[] | undefined>
  /** CSS selectors of elements that are not compared. At most 20 items. */
  ignoreSelectors?: pulumi.Input<pulumi.Input<string>[] | undefined>
  /** Size of the browser window. */
  viewport?: pulumi.Input<ViewportArgs | undefined>
}

/** A part of the page, by a selector or a rectangle. */
export interface RegionArgs {
  /** CSS selector of the element to compare. 1 to 1,000 characters. */
  selector?: pulumi.Input<string | undefined>
  /** A rectangle in CSS pixels of the full page. */
  rect?: pulumi.Input<RectArgs | undefined>
  /** Name of the region for people. 1 to 200 characters. */
  label?: pulumi.Input<string | undefined>
}

/** A rectangle in CSS pixels of the full page. */
export interface RectArgs {
  /** From the left edge of the page. 0 to 100,000. */
  x: pulumi.Input<number>
  /** From the top edge of the page. 0 to 100,000. */
  y: pulumi.Input<number>
  /** Width of the rectangle. 1 to 100,000. */
  width: pulumi.Input<number>
  /** Height of the rectangle. 1 to 100,000. */
  height: pulumi.Input<number>
}

/** Size of the browser window. */
export interface ViewportArgs {
  /** Width in CSS pixels. 320 to 3,840. Default: 1280. */
  width?: pulumi.Input<number | undefined>
  /** Height in CSS pixels. 240 to 2,160. Default: 720. */
  height?: pulumi.Input<number | undefined>
}
