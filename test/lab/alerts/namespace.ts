/** The namespace of the lab's installation, as Prometheus sees it. */
export const NAMESPACE = "lab";
