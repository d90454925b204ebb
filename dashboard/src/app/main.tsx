import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../style/base.css'
import { App } from './app.tsx'
import { reloadAfterBuild } from './reload.ts'
import { applyTheme } from './theme.ts'
import { allowEmptyHtml } from './trusted-types.ts'

/** Set by the build (tools/build/build-dashboard.ts). */
declare const RELOADS: boolean

if (RELOADS) reloadAfterBuild()
allowEmptyHtml()
applyTheme()
const root = document.getElementById('root')
if (root === null) throw new Error('the page has no place for the dashboard')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
