"""What `read_file` shows of each kind of file: text, images, PDF documents, notebooks, folders."""
