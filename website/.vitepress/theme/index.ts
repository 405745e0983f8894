import DefaultTheme from 'vitepress/theme';
import './style.css';

// biome-ignore lint/style/noDefaultExport: what VitePress takes
export default DefaultTheme;
