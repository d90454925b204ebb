// Generated from schema/ by `npm run gen`.
import type * as pulumi from '@pulumi/pulumi'
import type {
  DiffPredicateArgs,
  DigestArgs,
  ExtractConfigArgs,
  MessageArgs,
  QuietHoursArgs,
  RequestConfigArgs,
  VisualConfigArgs,
} from './configuration'

/** The `apiVersion` of the custom resources. */
export const RESOURCE_API = 'tidemark.dev/v1'

/** Names a key of a Secret. */
export interface SecretKeyRefArgs {
  /** Name of the Secret. */
  name: pulumi.Input<string>
  /** Key within it. */
  key: pulumi.Input<string>
}

/** A Secret that a value is read from. */
export interface SecretSourceArgs {
  /** The key of the Secret. */
  secretKeyRef: pulumi.Input<SecretKeyRefArgs>
}

/** A header whose value is read from a Secret. */
export interface HeaderFromArgs {
  /** Name of the header. */
  name: pulumi.Input<string>
  /** The key of the Secret. */
  secretKeyRef: pulumi.Input<SecretKeyRefArgs>
}

/** Watches a page, API or feed on a schedule and reports what changed. */
export interface MonitorSpecArgs {
  /** Name for people. Messages show it. 1 to 200 characters. */
  name: pulumi.Input<string>
  /** The page, API or feed to watch. 1 to 2,048 characters. */
  url: pulumi.Input<string>
  /** Seconds between two checks. 60 to 31,536,000. */
  scheduleIntervalSeconds: pulumi.Input<number>
  /** What to extract from the response, with one of six methods. */
  extractConfig: pulumi.Input<ExtractConfigArgs>
  /** The condition under which a difference causes a notification. */
  diffPredicate: pulumi.Input<DiffPredicateArgs>
  /** The plan may allow fewer. At most 25 items. */
  deliveries?: pulumi.Input<pulumi.Input<DeliveryArgs>[] | undefined>
  /** auto: plain HTTP, and a browser where the page needs one. browser: always a browser. Default: auto. */
  fetchMode?: pulumi.Input<'auto' | 'browser' | undefined>
  /** Header name to value. At most 20 entries. */
  requestHeaders?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
  /** Entries of requestHeaders whose values are read from Secrets of the namespace. */
  requestHeadersFrom?: pulumi.Input<pulumi.Input<HeaderFromArgs>[] | undefined>
  /** Direct request, never through a browser or proxy. */
  requestConfig?: pulumi.Input<RequestConfigArgs | undefined>
  /** Takes a screenshot at each check and compares it with the previous one, pixel by pixel. */
  visualConfig?: pulumi.Input<VisualConfigArgs | undefined>
  /**
   * Beyond the contract: the notices that the destinations of the monitor get besides its deliveries. At most 5 items.
   */
  notifyOn?:
    pulumi.Input<pulumi.Input<'failing' | 'recovered' | 'field_missing' | 'delivery_dead' | 'quota'>[] | undefined>
  /** Beyond the contract: the hours of each day in which nothing is sent. What fires then is sent when they end. */
  quietHours?: pulumi.Input<QuietHoursArgs | undefined>
  /** Beyond the contract: what messages for people say. */
  message?: pulumi.Input<MessageArgs | undefined>
  /** Beyond the contract: collects what fires, and sends it as one message to a destination. */
  digest?: pulumi.Input<DigestArgs | undefined>
  /**
   * Beyond the contract. pod: each check is done by a pod of its own, in a cluster whose operator starts runner pods;
   * it needs fetchMode browser. shared: by any process. Default: shared.
   */
  isolation?: pulumi.Input<'shared' | 'pod' | undefined>
  /** No checks while true. The runs are kept. Without it, pausing is left to people. */
  suspend?: pulumi.Input<boolean | undefined>
}

/** A destination of notifications. */
export type DeliveryArgs =
  | {
      /** The channel. */
      type: 'webhook'
      /** Receives a signed POST. 1 to 2,048 characters. */
      url?: pulumi.Input<string | undefined>
      /** A Secret of the namespace that url is read from, in place of url. */
      urlFrom?: pulumi.Input<SecretSourceArgs | undefined>
      /** Header name to value. At most 20 entries. */
      headers?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
      /** Entries of headers whose values are read from Secrets of the namespace. */
      headersFrom?: pulumi.Input<pulumi.Input<HeaderFromArgs>[] | undefined>
      /** Beyond the contract: the service at `url`, which gets a message for people in place of the payload. */
      service?:
        | pulumi.Input<'teams'
        | 'telegram'
        | 'matrix'
        | 'mattermost'
        | 'rocket_chat'
        | 'google_chat'
        | 'ntfy'
        | 'gotify'
        | 'pushover'
        | 'pagerduty'
        | 'apprise'
        | 'cloudevents'
        | 'custom'
        | undefined>
      /** Beyond the contract: what the service needs to know besides its address. At most 20 entries. */
      options?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
      /** Entries of options whose values are read from Secrets of the namespace. */
      optionsFrom?: pulumi.Input<pulumi.Input<HeaderFromArgs>[] | undefined>
      /**
       * Beyond the contract: the body that the service custom sends. Names in `{{…}}` are replaced by their values. In
       * JSON only in strings; a string that is one name becomes the value. 1 to 20,000 characters.
       */
      body?: pulumi.Input<string | undefined>
      /** A Secret of the namespace that body is read from, in place of body. */
      bodyFrom?: pulumi.Input<SecretSourceArgs | undefined>
      /** Beyond the contract: how the service custom sends. Absent: POST. */
      method?: pulumi.Input<'POST' | 'PUT' | undefined>
      /** Beyond the contract: the hours of each day in which nothing is sent. What fires then is sent when they end. */
      quietHours?: pulumi.Input<QuietHoursArgs | undefined>
      /** Beyond the contract: what messages for people say. */
      message?: pulumi.Input<MessageArgs | undefined>
      /** Beyond the contract: collects what fires, and sends it as one message to a destination. */
      digest?: pulumi.Input<DigestArgs | undefined>
    }
  | {
      /** The channel. */
      type: 'slack' | 'discord'
      /** Incoming-webhook address of the chat service. 1 to 2,048 characters. */
      webhookUrl?: pulumi.Input<string | undefined>
      /** A Secret of the namespace that webhookUrl is read from, in place of webhookUrl. */
      webhookUrlFrom?: pulumi.Input<SecretSourceArgs | undefined>
      /** Beyond the contract: the hours of each day in which nothing is sent. What fires then is sent when they end. */
      quietHours?: pulumi.Input<QuietHoursArgs | undefined>
      /** Beyond the contract: what messages for people say. */
      message?: pulumi.Input<MessageArgs | undefined>
      /** Beyond the contract: collects what fires, and sends it as one message to a destination. */
      digest?: pulumi.Input<DigestArgs | undefined>
    }
  | {
      /** The channel. */
      type: 'email'
      /** One e-mail address. 1 to 254 characters. */
      to: pulumi.Input<string>
      /** Beyond the contract: the hours of each day in which nothing is sent. What fires then is sent when they end. */
      quietHours?: pulumi.Input<QuietHoursArgs | undefined>
      /** Beyond the contract: what messages for people say. */
      message?: pulumi.Input<MessageArgs | undefined>
      /** Beyond the contract: collects what fires, and sends it as one message to a destination. */
      digest?: pulumi.Input<DigestArgs | undefined>
    }

/** Asks a search engine for a keyword on a schedule and reports ranks, or what changed in the results. */
export interface SerpMonitorSpecArgs {
  /** Name for people. Messages show it. 1 to 200 characters. */
  name: pulumi.Input<string>
  /** The search query, as a person would type it. 1 to 2,048 characters. */
  keyword: pulumi.Input<string>
  /** Seconds between two checks. 600 to 31,536,000. */
  scheduleIntervalSeconds: pulumi.Input<number>
  /**
   * rank_tracking: where targetDomain stands. full_analysis: any change of the list of results. Default: rank_tracking.
   */
  mode?: pulumi.Input<'rank_tracking' | 'full_analysis' | undefined>
  /** The search engine. Default: google. */
  engine?: pulumi.Input<'google' | 'bing' | 'yahoo' | 'duckduckgo' | 'yandex' | undefined>
  /** The country that the search is made for, by its code of two letters. 1 to 2 characters. Default: us. */
  locationCode?: pulumi.Input<string | undefined>
  /** The language that the search is made in, by its code of two letters. 1 to 2 characters. Default: en. */
  languageCode?: pulumi.Input<string | undefined>
  /** The kind of device that asks. Default: desktop. */
  device?: pulumi.Input<'desktop' | 'mobile' | undefined>
  /** How many pages of results a check reads. It uses one run for each of them. 1 to 5. Default: 1. */
  pages?: pulumi.Input<number | undefined>
  /**
   * What to look for: a domain, which its subdomains belong to; the beginning of an address, as in example.com/blog; a
   * word, which is a whole part of a domain, as amazon is of amazon.co.uk; or a part of an address that begins with /
   * or ?, as in /blog. Without it rank_tracking keeps the results, and there is no rank. Not allowed with
   * full_analysis. 1 to 2,048 characters.
   */
  targetDomain?: pulumi.Input<string | undefined>
  /**
   * Positions of movement that fire, with rank_tracking. Without it only entering and leaving the results fire.
   * full_analysis ignores it. 1 to 1,000.
   */
  rankChangeThreshold?: pulumi.Input<number | undefined>
  /** The plan may allow fewer. At most 25 items. */
  deliveries?: pulumi.Input<pulumi.Input<DeliveryArgs>[] | undefined>
  /**
   * Beyond the contract: the notices that the destinations of the monitor get besides its deliveries. At most 4 items.
   */
  notifyOn?: pulumi.Input<pulumi.Input<'failing' | 'recovered' | 'delivery_dead' | 'quota'>[] | undefined>
  /** Beyond the contract: the hours of each day in which nothing is sent. What fires then is sent when they end. */
  quietHours?: pulumi.Input<QuietHoursArgs | undefined>
  /** Beyond the contract: what messages for people say. */
  message?: pulumi.Input<MessageArgs | undefined>
  /** Beyond the contract: collects what fires, and sends it as one message to a destination. */
  digest?: pulumi.Input<DigestArgs | undefined>
  /** No checks while true. The runs are kept. Without it, pausing is left to people. */
  suspend?: pulumi.Input<boolean | undefined>
}
