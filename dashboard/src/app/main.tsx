import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import '../style/base.css'

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no place for the dashboard')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
