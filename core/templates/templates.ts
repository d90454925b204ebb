import type { Template } from '../../schema/monitor/template.ts'
import { genericCssSelector, genericFullPage, genericJsonField, genericLlmPrompt } from './generic.ts'
import { feedNewItem, jobListings, newsFrontPage, sitemapNewUrls } from './lists.ts'
import { cryptoPrice, shopProductPrice, stockPrice } from './prices.ts'
import { javascriptPackageVersion, pythonPackageVersion, repositoryRelease } from './releases.ts'
import { statusPage } from './status-page.ts'

/** The fifteen templates, in the order in which they are listed. */
export const TEMPLATES: readonly Template[] = [
  genericCssSelector,
  genericFullPage,
  genericJsonField,
  genericLlmPrompt,
  statusPage,
  cryptoPrice,
  stockPrice,
  shopProductPrice,
  javascriptPackageVersion,
  pythonPackageVersion,
  repositoryRelease,
  newsFrontPage,
  feedNewItem,
  sitemapNewUrls,
  jobListings,
]
