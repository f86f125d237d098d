"""What `handrail init` knows: kinds of projects, the commands their people run all day, and the files to write."""
