import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { Route, Switch } from 'wouter'
import { isPassing, isRetriedQuietly, retryMs } from '../api/faults.ts'
import { MonitorList } from '../monitors/list.tsx'
import { Boundary } from './boundary.tsx'
import { Frame } from './frame.tsx'

const MonitorPage = lazy(async () => ({ default: (await import('../monitor/monitor-page.tsx')).MonitorPage }))

const ChangesPage = lazy(async () => ({ default: (await import('../changes/changes-page.tsx')).ChangesPage }))

const DeliveriesPage = lazy(async () => ({
  default: (await import('../deliveries/deliveries-page.tsx')).DeliveriesPage,
}))

const DeliveryPage = lazy(async () => ({
  default: (await import('../deliveries/delivery-page.tsx')).DeliveryPage,
}))

const KeysPage = lazy(async () => ({ default: (await import('../keys/keys-page.tsx')).KeysPage }))

const TeamPage = lazy(async () => ({ default: (await import('../team/team-page.tsx')).TeamPage }))

const AccountPage = lazy(async () => ({ default: (await import('../account/account-page.tsx')).AccountPage }))

const AuditPage = lazy(async () => ({ default: (await import('../audit/audit-page.tsx')).AuditPage }))

const UsagePage = lazy(async () => ({ default: (await import('../usage/usage-page.tsx')).UsagePage }))

const SearchesPage = lazy(async () => ({ default: (await import('../searches/searches-page.tsx')).SearchesPage }))

const KeywordPage = lazy(async () => ({ default: (await import('../searches/keyword-page.tsx')).KeywordPage }))

const StatusPagesPage = lazy(async () => ({
  default: (await import('../status/status-pages-page.tsx')).StatusPagesPage,
}))

const EditStatusPage = lazy(async () => ({
  default: (await import('../status/edit-status-page.tsx')).EditStatusPage,
}))

const NewPage = lazy(async () => ({ default: (await import('../new/new-page.tsx')).NewPage }))

const EditPage = lazy(async () => ({ default: (await import('../new/edit-page.tsx')).EditPage }))

const NewSearchPage = lazy(async () => ({
  default: (await import('../new/search/new-search-page.tsx')).NewSearchPage,
}))

const EditSearchPage = lazy(async () => ({
  default: (await import('../new/search/edit-search-page.tsx')).EditSearchPage,
}))

const RunPage = lazy(async () => ({ default: (await import('../runs/run-page.tsx')).RunPage }))

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A browser may think that it is offline while the server is on its own machine. What is asked says so itself.
      networkMode: 'always',
      retry: isRetriedQuietly,
      retryDelay: retryMs,
      // What is refused is not asked for again and again.
      refetchOnWindowFocus: (query) => query.state.error === null || isPassing(query.state.error),
    },
    mutations: { networkMode: 'always' },
  },
})

/** The dashboard. */
export const App = () => (
  <Boundary>
    <QueryClientProvider client={queries}>
      <Frame>
        <Suspense fallback={<p role="status">Loading…</p>}>
          {/* Keys: what is shown of one monitor never stands under the name of another. */}
          <Switch>
            <Route path="/" component={MonitorList} />
            <Route path="/changes" component={ChangesPage} />
            <Route path="/deliveries" component={DeliveriesPage} />
            <Route path="/deliveries/:id">{({ id }) => <DeliveryPage key={id} id={id} />}</Route>
            <Route path="/searches" component={SearchesPage} />
            <Route path="/searches/keyword" component={KeywordPage} />
            <Route path="/team" component={TeamPage} />
            <Route path="/account" component={AccountPage} />
            <Route path="/audit" component={AuditPage} />
            <Route path="/usage" component={UsagePage} />
            <Route path="/keys" component={KeysPage} />
            <Route path="/status-pages" component={StatusPagesPage} />
            <Route path="/status-pages/:id">{({ id }) => <EditStatusPage key={id} id={id} />}</Route>
            <Route path="/new" component={NewPage} />
            <Route path="/new/search" component={NewSearchPage} />
            <Route path="/monitors/:id/runs/:run">
              {({ id, run }) => <RunPage key={`page ${id}`} kind="page" id={id} run={run} />}
            </Route>
            <Route path="/monitors/:id/edit">{({ id }) => <EditPage key={id} id={id} />}</Route>
            <Route path="/serp-monitors/:id/edit">{({ id }) => <EditSearchPage key={id} id={id} />}</Route>
            <Route path="/serp-monitors/:id/runs/:run">
              {({ id, run }) => <RunPage key={`serp ${id}`} kind="serp" id={id} run={run} />}
            </Route>
            <Route path="/monitors/:id">{({ id }) => <MonitorPage key={`page ${id}`} kind="page" id={id} />}</Route>
            <Route path="/serp-monitors/:id">
              {({ id }) => <MonitorPage key={`serp ${id}`} kind="serp" id={id} />}
            </Route>
          </Switch>
        </Suspense>
      </Frame>
    </QueryClientProvider>
  </Boundary>
)
