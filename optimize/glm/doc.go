package glm
