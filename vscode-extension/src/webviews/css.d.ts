// Style sheets are bundled beside the page that imports them.
declare module "*.css";
