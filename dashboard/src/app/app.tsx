export const App = () => <h1>Tidemark</h1>
